import type { StackFile } from '../../scripts/support/stack-file.ts'
import { signIn } from '../sign-in.ts'
import { printResponse, say, step } from './print.ts'

/** Signs in with the link of the identity provider and prints each step; returns the session token. */
export async function showSignIn(
  stack: StackFile,
  api: string,
  email: string,
  variable: string,
): Promise<string> {
  const { base_url: baseUrl, mailbox_url: mailboxUrl } = stack
  step('Sign in', 'The identity provider emails a link; here the mail stays in a local mailbox.')
  say(
    `export API=${api} JAR=$(mktemp)`,
    `FORM=$(curl -sL -c $JAR -b $JAR -o /dev/null -w '%{url_effective}' "$API/auth/sign-in?email=${email}")`,
    `curl -s -c $JAR -b $JAR -o /dev/null -d 'email=${email}' "$FORM"`,
    `LINK=$(curl -s "${mailboxUrl}/messages.json?to=${email}" | grep -o 'http[^"]*/link[^"]*' | head -n 1)`,
    'curl -sL -c $JAR -b $JAR "$LINK"',
  )
  const { session_token, expires_at } = await signIn({ baseUrl, mailboxUrl, email })
  printResponse(200, { session_token, expires_at })
  say(`export ${variable}=${session_token}`)
  return session_token
}

/** Signs in a second person and prints the command for it; returns the session token. */
export async function showSecondSignIn(stack: StackFile, email: string): Promise<string> {
  const { base_url: baseUrl, mailbox_url: mailboxUrl } = stack
  const { session_token } = await signIn({ baseUrl, mailboxUrl, email })
  say('', 'The same for the person behind the platform, in one command:', '')
  say(`export GRACE=$(npm run -s sign-in -- ${email})`, '→ a session token of its own')
  return session_token
}
