import { readFileSync } from 'node:fs'

/** A setting of the Worker, and where to find its value. */
export interface Setting {
  name: string
  /** Whether its value allows acting for the service or reading its data. */
  secret: boolean
  need: 'required' | 'optional' | 'do not set'
  /** Where the value comes from and what it is for, in Markdown. */
  source: string
}

const PAGE = new URL('../../docs/operate/deploy.md', import.meta.url)
const ROW = /^\| `(\w+)` \| (yes|no) \| (required|optional|do not set) \| (.+) \|$/gm

/** Every setting of a deployment, as the table in docs/operate/deploy.md lists them: in the order in which they are obtained. */
export const ALL_SETTINGS: readonly Setting[] = [...readFileSync(PAGE, 'utf8').matchAll(ROW)].map(
  ([, name = '', secret, need, source = '']) => ({
    name,
    secret: secret === 'yes',
    need: need as Setting['need'], // as matched
    source: source.replaceAll('\\|', '|'),
  }),
)

/** The name of the setting that only the doctor and deployments read; the Worker never receives it. */
export const OWNER_SETTING = 'OWNER_DATABASE_URL'
