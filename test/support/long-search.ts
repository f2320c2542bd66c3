/** Whether the searches of the score take minutes instead of seconds. */
export const LONG_SEARCH = process.env.LONG_SEARCH === 'true'
