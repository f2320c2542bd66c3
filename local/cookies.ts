interface Cookie {
  name: string
  value: string
  host: string
  path: string
}

const matches = (cookie: Cookie, url: URL) =>
  cookie.host === url.hostname &&
  (url.pathname === cookie.path ||
    url.pathname.startsWith(cookie.path.endsWith('/') ? cookie.path : `${cookie.path}/`))

function isExpired(attributes: Map<string, string>): boolean {
  const age = attributes.get('max-age')
  if (age !== undefined) return Number(age) <= 0
  const expires = attributes.get('expires')
  return expires !== undefined && Date.parse(expires) <= Date.now()
}

/**
 * The part of RFC 6265 that a sign-in needs: host and path scope, and deletion by `Max-Age` or `Expires`.
 * As in browsers, ports do not separate cookies.
 */
export function cookieJar() {
  let cookies: Cookie[] = []
  return {
    /** The `Cookie` header for a URL. */
    header: (url: URL): string =>
      cookies
        .filter((cookie) => matches(cookie, url))
        .map((cookie) => `${cookie.name}=${cookie.value}`)
        .join('; '),

    /** Stores the `Set-Cookie` headers of a response. */
    store(url: URL, response: Response): void {
      for (const line of response.headers.getSetCookie()) {
        const [pair = '', ...rest] = line.split(';')
        const attributes = new Map(
          rest.map((attribute) => {
            const [key = '', value = ''] = attribute.trim().split(/=(.*)/s)
            return [key.toLowerCase(), value]
          }),
        )
        const [name = '', value = ''] = pair.trim().split(/=(.*)/s)
        const parent = url.pathname.slice(0, url.pathname.lastIndexOf('/')) || '/'
        const cookie = { name, value, host: url.hostname, path: attributes.get('path') || parent }
        cookies = cookies.filter(
          (known) => known.name !== name || known.host !== cookie.host || known.path !== cookie.path,
        )
        if (!isExpired(attributes)) cookies.push(cookie)
      }
    },
  }
}
