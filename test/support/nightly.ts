/** Whether a test may take minutes: in `npm run test:nightly`, and not in `npm test`. */
export const NIGHTLY = process.env.NIGHTLY === 'true'
