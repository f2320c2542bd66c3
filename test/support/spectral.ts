import { type RulesetDefinition, Spectral } from '@stoplight/spectral-core'
import { oas } from '@stoplight/spectral-rulesets'

/** All OpenAPI rules of Spectral except these. */
const RULES: RulesetDefinition = {
  extends: [[oas as RulesetDefinition, 'all']], // cast, because the two packages type optional fields differently
  rules: {
    // Requires an email address, but the document is the same for every deployment; its contact points to /docs.
    'contact-properties': 'off',
    // Requires a URL besides the SPDX identifier; OpenAPI 3.1 allows only one of the two.
    'license-url': 'off',
    // Tags have the order of the reference.
    'openapi-tags-alphabetical': 'off',
    // Supports scopes only for OAuth; OpenAPI 3.1 allows roles for every scheme, such as these permissions.
    'oas3-operation-security-defined': 'off',
    // Mistakes the event types of GET /event-types for schemas, because they have the fields type and example. Redocly
    // has the same rule (no-invalid-schema-examples).
    'oas3-valid-schema-example': 'off',
  },
}

/**
 * Lints an OpenAPI document with Spectral.
 *
 * @returns one line per finding
 */
export async function lintWithSpectral(document: object): Promise<string[]> {
  const spectral = new Spectral()
  spectral.setRuleset(RULES)
  const findings = await spectral.run({ ...document })
  return findings.map(({ code, path, message }) => `${code} at ${path.join('.')}: ${message}`)
}
