/**
 * Inside the frame of a bank's challenge: Escape refuses, as it does on the page around, and the end is told
 * to that page.
 */
if (document.body.dataset.state === 'done') {
  // Says only that it is over; what came of it is asked of the API.
  window.parent.postMessage({ kind: 'challenge-done' }, '*');
} else {
  document.addEventListener('keydown', (event) => {
    const refuse = document.querySelector('button[value="fail"]');
    if (event.key === 'Escape' && refuse instanceof HTMLButtonElement) refuse.click();
  });
}
