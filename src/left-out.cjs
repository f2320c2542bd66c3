// Stands in the bundle for parts of packages that the Worker never runs: see `alias` in wrangler.toml.
module.exports = {}
