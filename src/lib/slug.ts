export const SLUG_MIN = 2
export const SLUG_MAX = 50

/** The characters of a slug; its length is checked separately. */
export const SLUG_PATTERN = /^[a-z0-9]+(-[a-z0-9]+)*$/

/** Paths and names of this service; a platform with such a slug could be mistaken for it. */
const RESERVED = new Set(
  `about account activity admin agent agents agent-registry api assets audit auth badge badges blog console dashboard docs
  errors event-types favicon health help home incidents internal kyc log login logout mail me new null official openapi
  operator operators ownership platform platforms privacy ready reg registry robots root search security settings sign-in
  sign-out static status support system terms trust trust-score undefined v1 verify webhook webhooks well-known www`.split(
    /\s+/,
  ),
)

/** Whether a slug is reserved for the service itself. */
export function isReservedSlug(slug: string): boolean {
  return RESERVED.has(slug)
}
