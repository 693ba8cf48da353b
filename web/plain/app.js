// The plain page's behaviour: the calls of the API, the card provider's own fields, and nothing kept but idempotency keys.
const element = (id) => document.getElementById(id);

/** Tells the person; `isBad` for what went wrong. */
function say(sentence, isBad = false) {
  const notice = element('notice');
  notice.textContent = sentence;
  notice.classList.toggle('bad', isBad);
}

class Refused extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

async function call(method, path, body, headers = {}) {
  const answer = await fetch(path, {
    method,
    headers: body === undefined ? headers : { 'content-type': 'application/json', ...headers },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  const content = await answer.json().catch(() => ({}));
  if (!answer.ok) throw new Refused(answer.status, content.message ?? answer.statusText);
  return content;
}

/** A UUID of version 7: its time tells the ledger whether it must look far back for a repeat. */
function uuidv7() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  new DataView(bytes.buffer).setUint32(0, Math.floor(Date.now() / 65536));
  new DataView(bytes.buffer).setUint16(4, Date.now() % 65536);
  bytes[6] = 0x70 | (bytes[6] & 0x0f);
  bytes[8] = 0x80 | (bytes[8] & 0x3f);
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

/** The key of this payment, kept before it is sent, so that a reload or a second click is the same payment. */
function keyOf(payment) {
  const place = `payment ${JSON.stringify(payment)}`;
  const key = sessionStorage.getItem(place) ?? uuidv7();
  sessionStorage.setItem(place, key);
  return { key, forget: () => sessionStorage.removeItem(place) };
}

const dollars = (text) => `${text.startsWith('-') ? '-' : ''}$${text.replace('-', '')}`;

async function showAccount() {
  const user = await call('GET', '/api/auth/user');
  element('balance').textContent = dollars(user.earnings);
  element('who').textContent = [user.firstName, user.lastName, user.username && `@${user.username}`].filter(Boolean).join(' ');
  element('user-id').textContent = user.id;
  const link = `${location.origin}/tip/${user.id}`;
  element('tip-link').textContent = link;
  element('tip-link').href = link;
  return user;
}

async function showHistory() {
  const lines = await call('GET', '/api/transactions');
  element('no-history').hidden = lines.length > 0;
  element('history').replaceChildren(
    ...lines.map((line) => {
      const row = document.createElement('tr');
      const received = line.type === 'payment_received';
      const other = line.counterpartyUsername ? `@${line.counterpartyUsername}` : line.counterpartyId;
      const cells = [
        new Date(line.createdAt).toLocaleString('en-US'),
        `${received ? 'From' : 'To'} ${other}${line.description ? ` · ${line.description}` : ''}`,
        line.failureReason && line.status === 'failed' ? `${line.status}: ${line.failureReason}` : line.status,
        `${received ? '+' : '-'}$${line.amount}`,
      ];
      row.append(...cells.map((text) => Object.assign(document.createElement('td'), { textContent: text })));
      row.lastElementChild.className = received ? 'amount received' : 'amount';
      return row;
    }),
  );
  return lines;
}

const LABELS = {
  biometricEnabled: 'Biometric sign-in',
  privacyModeEnabled: 'Privacy mode',
  transactionAlertsEnabled: 'Transaction alerts',
};

async function showSettings() {
  const settings = await call('GET', '/api/settings');
  element('settings').replaceChildren(
    ...Object.entries(LABELS).map(([name, words]) => {
      const label = document.createElement('label');
      const box = Object.assign(document.createElement('input'), { type: 'checkbox', checked: settings[name], name });
      box.addEventListener('change', async () => {
        try {
          const now = await call('PUT', '/api/settings', { [name]: box.checked });
          box.checked = now[name];
        } catch {
          box.checked = !box.checked;
          say('Failed to update settings. Please try again.', true);
        }
      });
      label.append(box, ` ${words}`);
      const line = document.createElement('p');
      line.append(label);
      return line;
    }),
  );
}

/** The card provider's script, loaded once, from where the ledger says. */
let provider;
function cardProvider() {
  provider ??= call('GET', '/api/config').then(
    ({ stripePublishableKey, stripeScriptUrl }) =>
      new Promise((resolve, reject) => {
        const ready = () => resolve(window.Stripe(stripePublishableKey));
        if (window.Stripe) return ready();
        const script = Object.assign(document.createElement('script'), { src: stripeScriptUrl });
        script.addEventListener('load', ready);
        script.addEventListener('error', () => reject(new Error('The card provider cannot be reached. Please try again.')));
        document.head.append(script);
      }),
  );
  provider.catch(() => (provider = undefined));
  return provider;
}

let checkout;

function endCheckout() {
  checkout?.field.destroy();
  checkout = undefined;
  element('confirm').hidden = true;
  element('pay').hidden = false;
}

async function beginCheckout(event) {
  event.preventDefault();
  const form = new FormData(element('pay'));
  const payment = {
    amount: String(form.get('amount')).trim(),
    toUserId: String(form.get('recipient')).trim(),
    description: String(form.get('note')).trim() || null,
    paymentMethod: form.get('method'),
  };
  element('continue').disabled = true;
  say('');
  const { key, forget } = keyOf(payment);
  try {
    const { clientSecret } = await call('POST', '/api/create-payment-intent', payment, { 'idempotency-key': key });
    const stripe = await cardProvider();
    const elements = stripe.elements({ clientSecret });
    const field = elements.create('payment');
    element('pay').hidden = true;
    element('confirm').hidden = false;
    element('summary').textContent = `$${payment.amount} to ${payment.toUserId}`;
    field.mount('#payment-element');
    checkout = { stripe, elements, field, forget };
  } catch (error) {
    // Refused for good: the next try is another payment. Otherwise the key is kept, and the next try is this one.
    if (error.status >= 400 && error.status < 500) forget();
    say(error.message, true);
  } finally {
    element('continue').disabled = false;
  }
}

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** The provider tells the ledger in its own time: looks until the list has changed, for some seconds. */
async function refreshUntilChanged(before) {
  for (let look = 0; look < 20; look++) {
    const after = JSON.stringify(await showHistory());
    if (after !== before) break;
    await pause(500);
  }
  await showAccount();
}

async function pay(event) {
  event.preventDefault();
  const { stripe, elements, forget } = checkout;
  element('pay-now').disabled = true;
  say('Processing');
  try {
    const before = JSON.stringify(await call('GET', '/api/transactions'));
    const { error } = await stripe.confirmPayment({
      elements,
      confirmParams: { return_url: `${location.origin}/payment-success` },
      redirect: 'if_required',
    });
    if (error) say(`Payment Failed: ${error.message}`, true);
    else {
      say('Payment Successful: Payment processed successfully!');
      forget();
      endCheckout();
      element('pay').reset();
    }
    await refreshUntilChanged(before);
  } catch (error) {
    say(error.message, true);
  } finally {
    element('pay-now').disabled = false;
  }
}

async function start() {
  try {
    await showAccount();
  } catch (error) {
    if (error.status !== 401) say(error.message, true);
    element('get-started').href = `/api/login?returnTo=${encodeURIComponent(location.pathname + location.search)}`;
    element('landing').hidden = false;
    return;
  }
  element('home').hidden = false;
  const recipient = /^\/tip\/([^/]+)$/.exec(location.pathname);
  const query = new URLSearchParams(location.search);
  if (recipient) element('recipient').value = decodeURIComponent(recipient[1]);
  element('amount').value = query.get('amount') ?? '';
  element('note').value = query.get('description') ?? '';
  const method = document.querySelector(
    `input[name=method][value="${query.get('paymentMethod') === 'cashapp' ? 'cashapp' : 'card'}"]`,
  );
  method.checked = true;
  element('pay').addEventListener('submit', beginCheckout);
  element('confirm').addEventListener('submit', pay);
  element('cancel').addEventListener('click', endCheckout);
  if (location.pathname === '/payment-success') say('Payment Successful');
  await Promise.all([showHistory(), showSettings()]).catch((error) => say(error.message, true));
}

await start();
