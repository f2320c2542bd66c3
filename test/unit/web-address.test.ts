import { expect, it } from 'vitest'
import { webAddress } from '../../src/wire/fields.ts'

it.each([
  ['http://example.com/', /https/],
  ['javascript:alert(1)', /https/],
  ['https:example.com', /https/],
  ['https://', /https/],
  ['https:///example.net@example.com/', /https/],
  ['https://user@example.com/', /username/],
  ['https://example.com./', /dot/],
  ['https://example/', /public host/],
  ['https://127.0.0.1/', /IP/],
  ['https://exam\nple.com/', /spaces/],
  [' https://example.com/', /spaces/],
  ['https://example.com\\.evil.example/', /backslashes/],
  ['https://example.com/\u202emoc', /invisible/],
  [`https://example.com/${'ü'.repeat(400)}`, /2048/],
])('%j is rejected as a public web address', (text, problem) => {
  const { error } = webAddress.safeParse(text)
  expect(error?.issues.map(({ message }) => message)).toEqual([expect.stringMatching(problem)])
})
