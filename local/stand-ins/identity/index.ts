import type { RequestListener } from 'node:http'
import { join } from 'node:path'
import { freePort } from '../../port.ts'
import { fromFetch, type Served, serve } from '../serve.ts'
import { interactionPages } from './interaction.ts'
import { type Message, mailboxPages, openMailbox } from './mailbox.ts'
import { CLIENT_ID, createProvider } from './provider.ts'
import { openSecrets, subjectOf } from './secrets.ts'

interface Options {
  /** Data folder: keys, client secret, port (`identity.json`) and messages (`mailbox.jsonl`). */
  dir: string
  redirectUris: string[]
  say(line: string): void
}

export interface Identity {
  issuer: string
  clientId: string
  clientSecret: string
  mailboxUrl: string
  /** Adds a mail of another service to the mailbox. */
  deliver(message: Message): void
  stop(): Promise<void>
}

const isTaken = (error: unknown) => error instanceof Error && 'code' in error && error.code === 'EADDRINUSE'

async function listen(listener: RequestListener, port: number): Promise<Served> {
  return serve('identity', listener, port).catch((error: unknown) => {
    if (!isTaken(error)) throw error
    throw new Error(
      `identity: port ${port} of 127.0.0.1 is taken. Operators are identified by the provider's URL, so ` +
        'on another port, all of them would be unknown. Stop the process that uses the port (another stack on ' +
        'this data folder?), use another LOCAL_DIR, or start with --fresh.',
      { cause: error },
    )
  })
}

/**
 * Starts the identity provider of the local stack and its mailbox, on one port of 127.0.0.1.
 *
 * The provider asks for an email address and sends a one-time link to the mailbox, which signs in whoever opens it. The
 * mailbox is a page at `mailboxUrl`; `mailboxUrl/messages.json` is `[{to, subject, link, at}]`, newest first, filtered
 * by `?to=`. Mails of other services have `link: null` and also `text`, `html` and `headers`. An address with
 * `+unverified@` gets `email_verified: false`.
 *
 * Issuer, keys, client secret and subjects of a folder stay the same across restarts.
 *
 * @throws Error when the port of the last start is taken: another port is another issuer, and operators are
 *   keyed by issuer and subject
 */
export async function startIdentity({ dir, redirectUris, say }: Options): Promise<Identity> {
  const { state: secrets, save } = openSecrets(dir)
  const port = secrets.port ?? (await freePort())
  const issuer = `http://127.0.0.1:${port}`
  const emails = new Map<string, string>()
  const provider = createProvider({ issuer, secrets, redirectUris, say, emailOf: (sub) => emails.get(sub) })
  const mailbox = openMailbox(join(dir, 'mailbox.jsonl'))
  const pages = interactionPages({
    provider,
    mailbox,
    clientUrl: new URL('/console', redirectUris[0]).href,
    admit(email) {
      const subject = subjectOf(secrets, email)
      emails.set(subject, email)
      return subject
    },
  }).route('/', mailboxPages(mailbox))

  const respondPage = fromFetch(pages.fetch)
  const respondProtocol = provider.callback()
  const served = await listen((request, response) => {
    const isPage = /^\/(interaction|mailbox)(?=[/?]|$)/.test(request.url ?? '')
    void (isPage ? respondPage : respondProtocol)(request, response)
  }, port)
  secrets.port = port
  save()
  return {
    issuer,
    clientId: CLIENT_ID,
    clientSecret: secrets.client_secret,
    mailboxUrl: `${issuer}/mailbox`,
    deliver: mailbox.send,
    stop: served.stop,
  }
}
