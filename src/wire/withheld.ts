/** The fields whose texts can be withheld: responses then contain a substitute. */
export const WITHHELD_FIELDS = [
  'name',
  'name_verified',
  'description',
  'specializations',
  'homepage_url',
  'card_url',
  'operator_name',
  'operator_name_verified',
  'platform_name',
  'event_type',
  'metadata',
  'title',
  'resolution',
] as const

export type WithheldField = (typeof WITHHELD_FIELDS)[number]

/** A row with the names of its substitutes; they can include fields that it does not have. */
type Row = { withheld: readonly WithheldField[] | null }

/** A row as a response: `withheld` names those of its fields that are substitutes, and is omitted if there are none. */
export function nameWithheld<Shown extends Row>({ withheld, ...shown }: Shown) {
  const fields = (withheld ?? []).filter((field) => field in shown)
  return { ...shown, ...(fields.length > 0 && { withheld: fields }) }
}
