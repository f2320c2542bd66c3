#!/usr/bin/env node
import { EXIT } from './failure.ts'
import { runProgram } from './program.ts'

process.stdout.on('error', () => process.exit(EXIT.stopped)) // the output is no longer read, as with `| head`

process.exitCode = await runProgram(process.argv.slice(2))
