import { type RulesetDefinition, Spectral } from '@stoplight/spectral-core'
import { oas } from '@stoplight/spectral-rulesets'

/** Every rule that Spectral has for OpenAPI, but these. */
const RULES: RulesetDefinition = {
  extends: [[oas as RulesetDefinition, 'all']], // the two packages type their optional fields differently
  rules: {
    // Asks for an email address; the document is the same wherever the registry runs, and its contact leads to /docs.
    'contact-properties': 'off',
    // Asks for a URL in addition to the SPDX identifier; OpenAPI 3.1 allows one of the two.
    'license-url': 'off',
    // Tags stand in the order of the reference.
    'openapi-tags-alphabetical': 'off',
    // Knows the scopes of OAuth alone; OpenAPI 3.1 lets every scheme name roles, as these permissions.
    'oas3-operation-security-defined': 'off',
    // Takes the event types that GET /event-types lists, which have a type and an example, for schemas. Redocly has
    // the same rule (no-invalid-schema-examples).
    'oas3-valid-schema-example': 'off',
  },
}

/**
 * What Spectral finds in an OpenAPI document.
 *
 * @returns a line for each finding; none when the document is clean
 */
export async function lintWithSpectral(document: object): Promise<string[]> {
  const spectral = new Spectral()
  spectral.setRuleset(RULES)
  const findings = await spectral.run({ ...document })
  return findings.map(({ code, path, message }) => `${code} at ${path.join('.')}: ${message}`)
}
