import type { Standing } from '../db/enums.ts'
import type { Account } from '../http/context.ts'
import { STANDING_WORDS } from '../trust/standing.ts'
import { type Html, html, navigation } from './html.ts'

const SITE = 'Agent Registry'

/** The sign of the registry, as in the icons: `src/ui/favicon.svg` is its source. */
const MARK = html`<svg class="sign" viewBox="0 0 32 32" aria-hidden="true"><rect width="32" height="32" rx="7"/><path d="M9.5 23L16 8.5 22.5 23M12 18h8"/></svg>`

export type Area = 'public' | 'console'

export interface Page {
  /** Without the name of the site. */
  title: string
  /** One sentence for search engines and previews; pages without one are marked `noindex`. */
  description?: string | undefined
  /** Path of the page, without query; part of its canonical URL. */
  path: string
  /** Path of the API that returns the same data as JSON. */
  json?: string
  /** The standing whose picture link previews show. */
  preview?: Standing
  /** Additional elements of the head, such as JSON-LD. */
  head?: Html
  /** Contains one `h1`. */
  main: Html
}

/** Whose account a page of the console shows. */
export interface ShownAccount extends Account {
  /** The form that ends the session. */
  signOut: Html
}

/** The path of the picture of a standing in link previews: a screenshot, 1200 × 630 px, of the SVG beside it. */
export const previewPath = (standing: Standing) => `ui/previews/${standing}.png`

const LINKS = {
  public: [
    ['/agents', 'Agents'],
    ['/docs', 'Docs'],
    ['/status', 'Status'],
    ['/console', 'Console'],
  ],
  console: [
    ['/console', 'Overview'],
    ['/console/agents', 'Agents'],
    ['/console/keys', 'Keys'],
    ['/console/platforms', 'Platforms'],
    ['/console/notifications', 'Notifications'],
    ['/console/audit', 'Audit log'],
    ['/console/account', 'Account'],
  ],
} as const satisfies Record<Area, readonly (readonly [string, string])[]>

/** A complete HTML page. URLs in its metadata are absolute and begin with `baseUrl`. */
export function layout(baseUrl: string, page: Page, area: Area = 'public', account?: ShownAccount): Html {
  const { title, json, head, main, path } = page
  const full = path === '/' ? SITE : `${title} · ${SITE}`
  const links = LINKS[area].map(
    ([href, text]) => [href, html`${text}${account && ofAccount(href, account)}`] as const,
  )
  const current = links.find(([href]) => isCurrent(path, href))?.[0] ?? ''
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${full}</title>
${described(baseUrl, page)}
${json && html`<link rel="alternate" type="application/json" href="${baseUrl}${json}">`}
<link rel="icon" href="/favicon.ico" sizes="32x32">
<link rel="icon" href="/ui/favicon.svg" type="image/svg+xml">
<link rel="apple-touch-icon" href="/ui/apple-touch-icon.png">
<link rel="stylesheet" href="/ui/app.css">
<script src="/ui/app.js" type="module"></script>
${head}
</head>
<body>
<a class="skip" href="#main">Skip to content</a>
<header class="site">
<a class="name" href="/">${MARK}${SITE}</a>
${
  area === 'console'
    ? html`<button type="button" class="light" popovertarget="menu">Menu${account && account.unread > 0 && html` ${unreadTag(account)}`}</button>
<div class="menu" id="menu" popover>${navigation('Console', links, current)}
${account?.signOut}</div>`
    : navigation('Site', links, current)
}
</header>
<main id="main" tabindex="-1">${main}</main>
<footer><ul class="plain">
<li><a href="/docs">Documentation</a></li>
<li><a href="/docs/reference">API reference</a></li>
<li><a href="/transparency">Transparency log</a></li>
<li><a href="/status">Status</a></li>
</ul></footer>
</body>
</html>`
}

/** What a link of the console tells of the account: unread notifications, and whose account it is. */
function ofAccount(href: string, account: ShownAccount): Html | false {
  if (href === '/console/account') return html` <bdi class="who">${account.name}</bdi>`
  return href === '/console/notifications' && account.unread > 0 && html` ${unreadTag(account)}`
}

function unreadTag({ unread }: ShownAccount): Html {
  return html`<span class="tag warn" title="Unread notifications">${unread}</span>`
}

function described(baseUrl: string, { title, description, path, preview }: Page): Html {
  if (description === undefined) return html`<meta name="robots" content="noindex">`
  return html`<meta name="description" content="${description}">
<link rel="canonical" href="${baseUrl}${path}">
<meta property="og:title" content="${title}">
<meta property="og:description" content="${description}">
<meta property="og:url" content="${baseUrl}${path}">
<meta property="og:type" content="website">
<meta property="og:site_name" content="${SITE}">
${
  preview &&
  html`<meta property="og:image" content="${baseUrl}/${previewPath(preview)}">
<meta property="og:image:width" content="1200">
<meta property="og:image:height" content="630">
<meta property="og:image:alt" content="${STANDING_WORDS[preview]}">`
}
<meta name="twitter:card" content="${preview ? 'summary_large_image' : 'summary'}">`
}

/** Whether a link leads to the current page or its section; the console's overview is not a section. */
function isCurrent(path: string, href: string): boolean {
  return path === href || (href !== '/console' && path.startsWith(`${href}/`))
}
