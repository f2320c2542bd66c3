import { html, raw } from 'hono/html'

const STYLE = `
  body { margin: 0 auto; max-width: 40rem; padding: 3rem 1.5rem; font: 1.1rem/1.6 system-ui, sans-serif;
    color: #1a1a1a; background: #fff; overflow-wrap: anywhere }
  h1 { font-size: 1.6rem; line-height: 1.3 }
  code { display: block; padding: 1rem; border: 1px solid #767676; user-select: all }
  .small { font-size: .9rem; color: #555 }
  @media (prefers-color-scheme: dark) {
    body { color: #eee; background: #121212 } a { color: #9cf } .small { color: #bbb }
  }`

const HEADING: Record<number, string> = {
  400: 'This sign-in did not work',
  403: 'This sign-in was refused',
  429: 'Too many attempts',
  503: 'Signing in is not possible at the moment',
}

/** A whole page, and the headers that keep it from loading, running or framing anything. */
export interface Page {
  text: string
  headers: Record<string, string>
}

/** What a person sees whose sign-in failed. */
export function refusedPage(error: { code: string; message: string; status: number }, nonce: string): Page {
  const said = error.message.replace(/^sign-in: /, '')
  return page(
    HEADING[error.status] ?? 'Something went wrong',
    html`<p role="alert">${said.charAt(0).toUpperCase() + said.slice(1)}.</p>
      <p><a href="sign-in">Sign in again</a></p>
      <p class="small">${error.status} ${error.code}</p>`,
    nonce,
  )
}

/** The session token for a person, who has to copy it: it is the only credential, and shown this once. */
export function signedInPage(
  session: { session_token: string; expires_at: string; operator: { email: string } },
  nonce: string,
): Page {
  return page(
    'You are signed in',
    html`<p>as ${session.operator.email}, until ${session.expires_at.slice(0, 10)}. This is your session token; it is
      shown this once. Whoever has it can act for you.</p>
      <code tabindex="0" aria-label="Session token">${session.session_token}</code>
      <p class="small">Send it as <span>Authorization: Bearer …</span>; one click selects it.</p>`,
    nonce,
  )
}

function page(heading: string, body: unknown, nonce: string): Page {
  const text = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="robots" content="noindex">
        <title>${heading}</title>
        <style nonce="${nonce}">${raw(STYLE)}</style>
      </head>
      <body><main><h1>${heading}</h1>${body}</main></body>
    </html>`
  return {
    text: String(text),
    headers: {
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': `default-src 'none'; style-src 'nonce-${nonce}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
      'Referrer-Policy': 'no-referrer', // the address of the callback carries the code
      'X-Content-Type-Options': 'nosniff',
    },
  }
}
