/** The script of a guest's receipt: waiting for the booking, a mail, an account, and being forgotten. */
import { isKeptClaim, keepClaim, takeForm, noteTip, type PaidTip } from './draft.js';
import { found, inputOf, loadFont, post } from './page.js';

export interface ReceiptFacts {
  readonly handle: string;
  readonly token: string;
  readonly receipt: 'open' | 'failed' | 'paid';
  readonly isSignedIn: boolean;
  /** A user's own payment: nothing to mail, to claim or to forget. */
  readonly isOwn: boolean;
  /** Only of a paid one. */
  readonly paid?: PaidTip;
}

const NOT_SENT = 'This could not be sent. Check your connection and try again.';
/** It is looked for often at first, then seldom, and no longer than some minutes. */
const LOOKS_MS = [
  500, 700, 1000, 1000, 1500, 2000, 2000, 3000, 3000, 5000, 5000, 10_000, 20_000, 30_000, 60_000,
];

export function watchReceipt({ handle, token, receipt, isSignedIn, isOwn, paid }: ReceiptFacts): void {
  const path = `/@${handle}/paid/${token}`;
  loadFont();
  showTimes();
  const isConfirmed = new URLSearchParams(location.search).get('redirect_status') === 'succeeded';
  // What the card provider adds to the address is nobody's business.
  if (location.search !== '') history.replaceState(null, '', path);
  if (receipt === 'open') void wait(path, isConfirmed);
  if (receipt !== 'paid') return;
  if (paid) noteTip(handle, paid);
  // The next tip begins with an empty form.
  takeForm(handle);
  try {
    sessionStorage.removeItem(`encore-tip:${handle}`);
  } catch {
    // A browser that keeps nothing has nothing to forget.
  }
  if (isOwn) return;
  onPress('mail', 'submit', async () => sendMail(path));
  onPress('claim', 'click', async () => claim(path, token, isSignedIn));
  onPress('forget', 'click', async () => forget(path));
  if (location.hash !== '#claim') return;
  // Whoever goes back here from their history is not sent there again.
  history.replaceState(null, '', path);
  if (isSignedIn && isKeptClaim(token)) void claim(path, token, true);
}

/** Works on one press at a time: another one before its answer would be sent as well. */
function onPress(id: string, press: 'click' | 'submit', work: () => Promise<void>): void {
  let isBusy = false;
  document.getElementById(id)?.addEventListener(press, (event) => {
    event.preventDefault();
    if (isBusy) return;
    isBusy = true;
    void work().finally(() => (isBusy = false));
  });
}

const WHEN = new Intl.DateTimeFormat('en-US', { dateStyle: 'medium', timeStyle: 'short' });

/** In the reader's time zone, as they remember the evening: the server writes UTC. */
function showTimes(): void {
  for (const time of document.querySelectorAll('time'))
    time.textContent = WHEN.format(new Date(time.dateTime));
}

/** `isConfirmed`: the card provider has said that it is paid, so an earlier card's decline is no end. */
async function wait(path: string, isConfirmed: boolean): Promise<void> {
  for (const pauseMs of LOOKS_MS) {
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
    const answer = await fetch(`${path}/state`).catch(() => undefined);
    if (!answer?.ok) continue;
    const { status } = (await answer.json()) as { status: string };
    if (status === 'paid' || (status === 'failed' && !isConfirmed)) return location.reload();
  }
  found('waiting').textContent =
    'This takes longer than usual. Keep this address and look again later: the receipt will be here.';
}

async function sendMail(path: string): Promise<void> {
  const problem = found('mail-problem');
  problem.textContent = '';
  const answer = await post(`${path}/mail`, { email: inputOf('email').value });
  if (answer?.ok) found('mail-told').textContent = 'On its way. It arrives within a few minutes.';
  else problem.textContent = answer?.message ?? NOT_SENT;
}

async function claim(path: string, token: string, isSignedIn: boolean): Promise<void> {
  if (!isSignedIn) {
    keepClaim(token);
    location.assign(`/api/login?returnTo=${encodeURIComponent(`${path}#claim`)}`);
    return;
  }
  const answer = await post('/api/tip-page/claims', { token });
  if (answer?.ok) location.assign('/history');
  else found('claim-problem').textContent = answer?.message ?? NOT_SENT;
}

async function forget(path: string): Promise<void> {
  if (!confirm('Forget your name and your note? The receipt stays; this cannot be undone.')) return;
  const answer = await post(`${path}/forget`, {});
  if (answer?.ok) location.reload();
  else found('forget-problem').textContent = answer?.message ?? NOT_SENT;
}
