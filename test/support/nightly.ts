/** Whether tests may take minutes: only in `npm run test:nightly`. */
export const NIGHTLY = process.env.NIGHTLY === 'true'
