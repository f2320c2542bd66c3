import { homePages } from './home.ts'

/** The public pages. */
export const pageParts = [homePages]
