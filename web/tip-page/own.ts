/**
 * What whoever is signed in pays with: saved cards and the balance, one tap each, and the passkey where it is
 * asked for.
 */
import type { Stripe } from '@stripe/stripe-js';
import type { SavedCardAnswer } from '#contracts/api/payment-methods';
import type { CurrentUser } from '#contracts/api/users';
import { minorOf } from '#contracts/plain/money';
import { IDEMPOTENCY_KEY_HEADER, PASSKEY_PROOF_HEADER } from '#contracts/plain/headers';
import { passkeyProof } from '../src/shared/api/passkey-proof.js';
import { found, isPaid, LOST, post, reasonOf, type Answer } from './page.js';

/** What the form offers to whoever pays by something of their own. */
export interface TipForm {
  readonly handle: string;
  /** Who is tipped. */
  readonly userId: string;
  /** The tip as it stands; undefined, with the reason on the screen, while it is none. */
  tip(): { readonly amount: string; readonly note?: string } | undefined;
  /**
   * Whether these terms may be paid. Where another payment may have gone through, whoever presses is asked; a
   * guest's is ended.
   */
  mayPay(body: string): Promise<boolean>;
  /** Whether a press of before may have been paid: its answer was lost. */
  mayBePaid(): boolean;
  /** Nobody knows: these terms may have been paid. */
  lost(body: string, sentence: string): void;
  /** The idempotency key of these terms: the same for the same terms. */
  keyFor(body: string): string;
  /** The next press is a new payment. */
  end(): void;
  fail(sentence: string): void;
  tell(sentence: string): void;
  busy(work: () => Promise<void>): Promise<void>;
  stripe(): Promise<Stripe>;
  /** Leaves for signing in; what is filled in is there again afterwards. */
  leave(address: string): void;
  changed(): void;
}

const SIGNED_OUT =
  'You are signed out now, and nothing was paid. Sign in again, or pay below without an account.';
const SIGNED_OUT_UNCLEAR =
  'You are signed out now, and we cannot tell yet whether you were charged. Sign in again and press the same button: you are not charged twice.';
const NOT_CONFIRMED = 'You did not confirm this. Nothing was paid.';
const NOT_CONFIRMED_UNCLEAR =
  'You did not confirm this. We cannot tell yet whether you were charged before. Press again: you are not charged twice.';
const UNCLEAR = 'We cannot tell yet whether you were charged. Press again: you are not charged twice.';
const NOT_PAID = 'The payment did not go through. Pay another way.';
const MOST_CARDS = 2;

/** Draws a button for each saved card and the balance. Nothing where the session has ended. */
export async function offerOwn(form: TipForm): Promise<void> {
  const [cards, user] = await Promise.all([
    read<SavedCardAnswer[]>('/api/payment-methods'),
    read<CurrentUser>('/api/auth/user'),
  ]);
  const sources: { from: string; label: string; mostMinor?: number }[] = [];
  const inOrder = [...(cards ?? [])].sort((one, other) => Number(other.isDefault) - Number(one.isDefault));
  for (const { id, brand, last4 } of inOrder.slice(0, MOST_CARDS))
    sources.push({
      from: id,
      label: `${brand.charAt(0).toUpperCase()}${brand.slice(1)} ••${last4}`,
    });
  const mostMinor = minorOf(user?.earnings ?? '0.00');
  if (mostMinor > 0) sources.push({ from: 'balance', label: 'Balance', mostMinor });
  const place = found('own');
  place.replaceChildren();
  if (sources.length > 0) {
    const whose = document.createElement('p');
    whose.className = 's';
    whose.textContent = 'Pay at once, under your account’s name:';
    place.append(whose);
  }
  for (const { from, label, mostMinor: most } of sources) {
    const button = buttonOf(label, () =>
      button.getAttribute('aria-disabled') === 'true' ? undefined : form.busy(() => pay(form, from)),
    );
    button.dataset.own = label;
    if (most !== undefined) button.dataset.most = String(most);
    place.append(button);
  }
  form.changed();
}

async function pay(form: TipForm, from: string): Promise<void> {
  const tip = form.tip();
  if (tip === undefined) return;
  const body = { amount: tip.amount, toUserId: form.userId, description: tip.note, from };
  const terms = JSON.stringify(body);
  if (!(await form.mayPay(terms))) return;
  const headers = { [IDEMPOTENCY_KEY_HEADER]: form.keyFor(terms) };
  let answer = await post('/api/tips', body, headers);
  if (answer?.body.code === 'passkey_required') {
    const proof = await confirmed(form, answer);
    if (proof === undefined) return;
    answer = await post('/api/tips', body, { ...headers, [PASSKEY_PROOF_HEADER]: proof });
  }
  // Of a payment that the server began and could not end either nobody knows whether the card was charged.
  if (answer === undefined || answer.status >= 500) return form.lost(terms, answer ? UNCLEAR : LOST);
  if (answer.body.code === 'sign_in_required')
    return form.leave(`/api/login?fresh=1&returnTo=${encodeURIComponent(location.pathname)}`);
  if (answer.status === 401) return signedOut(form);
  if (!answer.ok) {
    if (answer.status === 409 || answer.status === 422) form.end();
    return form.fail(answer.message);
  }
  const refused = await whatStands(form, answer);
  if (refused === LOST) return form.lost(terms, LOST);
  form.end();
  if (refused !== undefined) return form.fail(refused);
  location.assign(`/@${form.handle}/paid/${String(answer.body.id)}`);
}

/** Why it is not paid; undefined for what is paid or on its way. */
async function whatStands(form: TipForm, { body }: Answer): Promise<string | undefined> {
  if (body.status === 'failed') return String(body.failureReason ?? NOT_PAID);
  if (body.status !== 'action_required') return undefined;
  const provider = await form.stripe();
  const { error, paymentIntent } = await provider.handleNextAction({
    clientSecret: String(body.clientSecret),
  });
  if (isPaid(paymentIntent ?? error?.payment_intent)) return undefined;
  // The bank's page can be left without an answer, which is no error: the bank may still get one.
  if (paymentIntent?.status === 'requires_action') return LOST;
  return (error && reasonOf(error)) ?? NOT_PAID;
}

/**
 * The passkey's proof over the words of the refusal; undefined, with the reason on the screen, without one.
 */
async function confirmed(form: TipForm, { body }: Answer): Promise<string | undefined> {
  const { id, words } = (body.confirm ?? {}) as { id?: string; words?: string };
  form.tell(words === undefined ? 'Confirm with your passkey.' : `Confirm with your passkey: ${words}`);
  try {
    return await passkeyProof(proofCall, id);
  } catch (failure) {
    const { status, sentence } = failure as { status?: number; sentence?: string };
    if (status === 401) signedOut(form);
    else form.fail(sentence ?? (form.mayBePaid() ? NOT_CONFIRMED_UNCLEAR : NOT_CONFIRMED));
    return undefined;
  } finally {
    form.tell('');
  }
}

/** The session ended meanwhile: whoever is here goes on as a guest, or signs in and finds all as it was. */
function signedOut(form: TipForm): void {
  const signIn = buttonOf('Sign in again', () =>
    form.leave(`/api/login?returnTo=${encodeURIComponent(location.pathname)}`),
  );
  found('own').replaceChildren(signIn);
  form.fail(form.mayBePaid() ? SIGNED_OUT_UNCLEAR : SIGNED_OUT);
}

function buttonOf(label: string, onClick: () => unknown): HTMLButtonElement {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'btn fill';
  button.textContent = label;
  button.addEventListener('click', () => void onClick());
  return button;
}

/** A call as the passkey's ceremony makes it. */
async function proofCall(path: string, body: unknown) {
  const answer = await post(path, body);
  if (answer?.ok) return { data: answer.body };
  const message = answer?.message ?? LOST;
  return { error: { status: answer?.status ?? 0, message, sentence: message, code: undefined } };
}

async function read<T>(path: string): Promise<T | undefined> {
  const answer = await fetch(path, { headers: { accept: 'application/json' } });
  return answer.ok ? ((await answer.json()) as T) : undefined;
}
