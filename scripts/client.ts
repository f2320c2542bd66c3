import { writeFileSync } from 'node:fs'
import { CLIENT_FILE, generateClient } from './client/generate.ts'

writeFileSync(CLIENT_FILE, await generateClient())
