// Shows the OpenAPI document of this host; requests that are tried out go to the same host.
const API = '/api/v1'

const dark = matchMedia('(prefers-color-scheme: dark)')
const paint = () => document.documentElement.classList.toggle('dark-mode', dark.matches)
dark.addEventListener('change', paint)
paint()

const response = await fetch(`${API}/openapi.json`)
if (response.ok) {
  const spec = { ...(await response.json()), servers: [{ url: location.origin + API }] }
  globalThis.SwaggerUIBundle({
    spec,
    dom_id: '#reference',
    deepLinking: true,
    docExpansion: 'list',
    defaultModelsExpandDepth: 0,
    defaultModelExpandDepth: 3,
    displayRequestDuration: true,
    validatorUrl: null,
  })
} else {
  document.querySelector('#reference').textContent = `The OpenAPI document returned ${response.status}.`
}
