import { type Call, call } from '../../scripts/support/call.ts'
import { say } from '../../scripts/support/print.ts'
import { printResponse, quote } from './print.ts'

/** Prints the command of a call, makes the call, and prints the response. */
export async function showCall<T>(api: string, made: Call<T>): Promise<T> {
  say(...curl(made))
  const response = await call(api, made)
  printResponse(made.status, response)
  return response
}

/** The curl command of a call, as lines; `API` and the credential are shell variables. */
function curl({ method, path, as, body, at }: Call<unknown>): string[] {
  const parts = [`curl -s "$API${path}"`]
  if (as) parts.push(`-H "Authorization: Bearer $${as.variable}"`)
  if (at) parts.push(`-H 'X-Test-Now: ${at.toISOString()}'`)
  if (method !== (body ? 'POST' : 'GET')) parts.push(`-X ${method}`)
  if (body) parts.push(`-H 'Content-Type: application/json' -d ${quote(JSON.stringify(body))}`)
  return parts.map((part, i) => (i === 0 ? '' : '  ') + part + (i < parts.length - 1 ? ' \\' : ''))
}
