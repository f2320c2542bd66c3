import { readFileSync } from 'node:fs'

// Runs before `npm publish` of a package, in its folder.
const { license, repository } = JSON.parse(readFileSync('package.json', 'utf8'))
const missing = [
  ...(license === undefined || license === 'UNLICENSED' ? ['license'] : []),
  ...(repository === undefined ? ['repository'] : []),
]
if (missing.length > 0) {
  console.error(`not published: package.json: set ${missing.join(' and ')} (CONTRIBUTING.md)`)
  process.exitCode = 1
}
