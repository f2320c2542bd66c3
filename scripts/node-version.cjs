// Runs before everything else, on whatever Node is there: without the install scripts, npm has not unpacked Node 24.
if (Number.parseInt(process.versions.node, 10) < 22) {
  console.error(
    `Node ${process.versions.node} is too old, and the Node 24 of node_modules is missing: run npm ci without --ignore-scripts`,
  )
  process.exit(1)
}
