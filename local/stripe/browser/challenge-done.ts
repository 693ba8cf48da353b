/** Tells the page around the bank's challenge that it is over; what came of it is asked of the API. */
window.parent.postMessage({ kind: 'challenge-done' }, '*');
