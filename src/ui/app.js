// Progressive enhancement: enables the copy buttons.
for (const button of document.querySelectorAll('[data-copy]')) {
  button.hidden = false
  button.addEventListener('click', async () => {
    const label = button.textContent
    try {
      await navigator.clipboard.writeText(
        button.dataset.copy || document.getElementById(button.dataset.of)?.textContent,
      )
      button.textContent = 'Copied'
    } catch {
      button.textContent = 'Press Ctrl+C'
    }
    setTimeout(() => (button.textContent = label), 2000)
  })
}
