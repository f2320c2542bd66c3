import { ownPlatform } from '../../credentials/authorize.ts'
import type { Ctx } from '../../http/context.ts'
import { type Html, html, navigation } from '../../pages/html.ts'
import { requirePlatform } from '../../platforms/store.ts'
import { slugParam } from '../../wire/fields.ts'
import { type OwnPlatform, ownPlatformNotFound } from '../../wire/own-platform.ts'
import { type Crumb, crumbs, stateTag, withheldNote } from '../frame.ts'
import { type ConsolePage, show, showWithTrail } from '../shell.ts'
import { listRetrying } from './store.ts'

export const PLATFORMS = '/console/platforms'

/** The path of a platform, as a route pattern. */
export const PLATFORM = `${PLATFORMS}/:slug`

/** A platform, and whether a delivery to it is being retried. */
export type ShownPlatform = Awaited<ReturnType<typeof requirePlatform>> & { is_retrying: boolean }

const TABS = [
  ['', 'Overview'],
  ['/agents', 'Agents'],
  ['/keys', 'API keys'],
  ['/deliveries', 'Deliveries'],
  ['/settings', 'Settings'],
] as const

type Tab = (typeof TABS)[number][0]

/** The platform in the path, as one of the signed-in operator's; throws 404 if the slug is malformed. */
export function platformOf(c: Ctx): OwnPlatform {
  const slug = c.req.param('slug') ?? ''
  if (!slugParam.safeParse({ slug }).success) throw ownPlatformNotFound(slug.slice(0, 50))
  return ownPlatform(c)
}

export const pathOf = ({ slug }: Pick<OwnPlatform, 'slug'>, below = '') => `${PLATFORMS}/${slug}${below}`

/** The platform in the path, with everything that its operator can see. */
export async function readPlatform(c: Ctx): Promise<ShownPlatform> {
  const [db, own] = [c.get('db'), platformOf(c)]
  const [platform, retrying] = await Promise.all([
    requirePlatform(db, own, c.get('now')()),
    listRetrying(db, own.operator_id),
  ])
  return { ...platform, is_retrying: retrying.has(platform.slug) }
}

export function canSend({ status, webhook_url, webhook_status }: ShownPlatform): boolean {
  return status === 'active' && webhook_url !== null && webhook_status === 'enabled'
}

/** Reads the platform in the path in parallel with `read`; if both fail, throws the error about the platform. */
export async function readPlatformAnd<T>(c: Ctx, read: Promise<T>): Promise<[ShownPlatform, T]> {
  read.catch(() => undefined)
  const platform = await readPlatform(c)
  return [platform, await read]
}

export function showTab(
  c: Ctx,
  platform: ShownPlatform,
  tab: Tab,
  main: Html,
  { status = 200 }: { status?: number } = {},
): Promise<Response> {
  const label = TABS.find(([below]) => below === tab)?.[1]
  const tabs = TABS.map(([below, text]) => [pathOf(platform, below), text] as const)
  return show(c, {
    title: tab === '' ? platform.name : `${label} · ${platform.name}`,
    status,
    main: html`${crumbs([PLATFORMS, 'Platforms'])}
<div class="split"><h1><bdi>${platform.name}</bdi></h1><span>${platformState(platform)}</span></div>
${navigation('Platform', tabs, pathOf(platform, tab), 'tabs')}
${withheldNote(platform.texts_withheld_at, 'the name of this platform')}
${main}`,
  })
}

/** A page of a platform that has no tab: with breadcrumbs instead. */
export function showBelow(
  c: Ctx,
  platform: Pick<OwnPlatform, 'slug'> & { name?: string },
  { trail = [], ...page }: ConsolePage & { trail?: readonly Crumb[] },
): Promise<Response> {
  const { slug, name = slug } = platform
  return showWithTrail(c, [[PLATFORMS, 'Platforms'], [pathOf(platform), name], ...trail], page)
}

export function platformState(platform: ShownPlatform): Html {
  if (platform.status === 'retired') return stateTag('retired')
  if (!platform.webhook_url) return stateTag('none', 'no webhook')
  if (platform.webhook_status === 'disabled') return stateTag('disabled', 'webhook disabled')
  if (platform.webhook_paused_until) return stateTag('disabled', 'webhook paused')
  if (platform.is_retrying || platform.consecutive_failures > 0 || platform.attempts_without_response > 0)
    return stateTag('failing', 'webhook failing')
  return stateTag('active')
}
