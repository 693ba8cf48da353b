/**
 * The payment form inside the frame: card fields, or the sentence that one continues in Cash App. What is
 * typed goes from here to the API and nowhere else; the page around learns only whether it is complete and
 * what came of it.
 */
export {};

type Json = Record<string, unknown>;
type FieldName = 'number' | 'expiry' | 'cvc' | 'postal';

interface Field {
  readonly input: HTMLInputElement;
  readonly error: HTMLElement;
  touched: boolean;
}

interface Problem {
  readonly code: string;
  readonly message: string;
}

const jsonOf = (value: unknown): Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {};
const byId = <T extends HTMLElement>(id: string, kind: new () => T): T => {
  const found = document.getElementById(id);
  if (!(found instanceof kind)) throw new Error(`The page has no ${id}.`);
  return found;
};

const NAMES: readonly FieldName[] = ['number', 'expiry', 'cvc', 'postal'];
const VARIABLES: Readonly<Record<string, string>> = {
  colorPrimary: '--primary',
  colorBackground: '--background',
  colorText: '--text',
  colorTextSecondary: '--text-secondary',
  colorDanger: '--danger',
  borderRadius: '--radius',
  fontFamily: '--font-family',
  fontSizeBase: '--font-size',
  spacingUnit: '--unit',
};
const BRANDS: readonly [RegExp, string, string][] = [
  [/^4/, 'visa', 'Visa'],
  [/^(5[1-5]|2[2-7])/, 'mastercard', 'Mastercard'],
  [/^3[47]/, 'amex', 'American Express'],
  [/^6(011|5)/, 'discover', 'Discover'],
];

const fields: Readonly<Record<FieldName, Field>> = {
  number: field('number'),
  expiry: field('expiry'),
  cvc: field('cvc'),
  postal: field('postal'),
};
const form = byId('form', HTMLFormElement);
const brandMark = byId('brand', HTMLElement);
const methods = byId('methods', HTMLFieldSetElement);
const cardPart = byId('card', HTMLElement);
const cashPart = byId('cashapp', HTMLElement);
const failurePart = byId('failure', HTMLElement);

let port: MessagePort | undefined;
let key = '';
let clientSecret: string | undefined;
let types: string[] = ['card'];
let chosen = 'card';
let lastChange = '';

function field(name: FieldName): Field {
  return { input: byId(name, HTMLInputElement), error: byId(`${name}-error`, HTMLElement), touched: false };
}

function digitsOf(text: string): string {
  return text.replace(/\D/g, '');
}

function brandOf(digits: string): { name: string; label: string } {
  const [, name = 'unknown', label = ''] = BRANDS.find(([pattern]) => pattern.test(digits)) ?? [];
  return { name, label };
}

function lengthOf(brand: string): number {
  return brand === 'amex' ? 15 : 16;
}

/** As test-cards.ts writes it down: a test number without a right check digit. */
const ODD_TEST_NUMBER = '4000000000003184';

function isCardNumber(number: string): boolean {
  if (number === ODD_TEST_NUMBER) return true;
  let sum = 0;
  for (const [index, digit] of [...number].reverse().entries()) {
    const value = Number(digit) * (index % 2 === 1 ? 2 : 1);
    sum += value > 9 ? value - 9 : value;
  }
  return sum % 10 === 0;
}

function shownNumber(digits: string): string {
  const groups =
    brandOf(digits).name === 'amex'
      ? /^(\d{1,4})(\d{1,6})?(\d{1,5})?/
      : /^(\d{1,4})(\d{1,4})?(\d{1,4})?(\d{1,4})?/;
  return (groups.exec(digits)?.slice(1) ?? []).filter(Boolean).join(' ');
}

function shownExpiry(text: string): string {
  let digits = digitsOf(text).slice(0, 4);
  if (/^[2-9]/.test(digits)) digits = `0${digits}`.slice(0, 4);
  if (digits.length < 2) return digits;
  return digits.length === 2 && !/\d{2}\s*\//.test(text) && !/^\d{2}$/.test(text)
    ? digits
    : `${digits.slice(0, 2)} / ${digits.slice(2)}`;
}

/** Writes a field's shown form and leaves the caret behind the digit it was behind. */
function rewrite(input: HTMLInputElement, shown: string): void {
  if (input.value === shown) return;
  const atEnd = input.selectionStart === input.value.length;
  const before = digitsOf(input.value.slice(0, input.selectionStart ?? 0)).length;
  input.value = shown;
  if (atEnd || document.activeElement !== input) return;
  let position = 0;
  for (let seen = 0; position < shown.length && seen < before; position += 1)
    if (/\d/.test(shown[position] ?? '')) seen += 1;
  input.setSelectionRange(position, position);
}

function expiryOf(): { month: number; year: number } {
  const digits = digitsOf(fields.expiry.input.value);
  return { month: Number(digits.slice(0, 2)), year: 2000 + Number(digits.slice(2, 4)) };
}

const CHECKS: Readonly<Record<FieldName, () => Problem | undefined>> = {
  number: () => {
    const digits = digitsOf(fields.number.input.value);
    if (digits.length < lengthOf(brandOf(digits).name))
      return { code: 'incomplete_number', message: 'Your card number is incomplete.' };
    return isCardNumber(digits)
      ? undefined
      : { code: 'invalid_number', message: 'Your card number is invalid.' };
  },
  expiry: () => {
    if (digitsOf(fields.expiry.input.value).length < 4)
      return { code: 'incomplete_expiry', message: 'Your card’s expiration date is incomplete.' };
    const { month, year } = expiryOf();
    if (month < 1 || month > 12)
      return { code: 'invalid_expiry_month', message: 'Your card’s expiration month is invalid.' };
    const today = new Date();
    const past = year * 12 + month < today.getFullYear() * 12 + today.getMonth() + 1;
    return past
      ? { code: 'invalid_expiry_year_past', message: 'Your card’s expiration date is in the past.' }
      : undefined;
  },
  cvc: () => {
    const wanted = brandOf(digitsOf(fields.number.input.value)).name === 'amex' ? 4 : 3;
    const complete = digitsOf(fields.cvc.input.value).length >= wanted;
    return complete
      ? undefined
      : { code: 'incomplete_cvc', message: 'Your card’s security code is incomplete.' };
  },
  postal: () => {
    const complete = /^\d{5}(-?\d{4})?$/.test(fields.postal.input.value.trim());
    return complete ? undefined : { code: 'incomplete_zip', message: 'Your ZIP code is incomplete.' };
  },
};

function show(name: FieldName, message: string): void {
  const { input, error } = fields[name];
  error.textContent = message;
  error.hidden = message === '';
  input.setAttribute('aria-invalid', String(message !== ''));
  sendHeight();
}

function send(name: string, payload: Json = {}): void {
  port?.postMessage({ kind: 'event', name, payload });
}

function sendHeight(): void {
  // The body's own height: the document's would never shrink below the frame's.
  port?.postMessage({ kind: 'height', height: Math.ceil(document.body.getBoundingClientRect().height) });
}

function sendChange(): void {
  const complete = chosen === 'cashapp' || NAMES.every((name) => CHECKS[name]() === undefined);
  const empty = chosen !== 'cashapp' && NAMES.every((name) => fields[name].input.value === '');
  const change = { complete, empty, collapsed: false, value: { type: chosen } };
  const text = JSON.stringify(change);
  if (text === lastChange) return;
  lastChange = text;
  send('change', change);
}

/** Shows every problem, puts the cursor on the first, and returns it. */
function firstProblem(): Problem | undefined {
  if (chosen === 'cashapp') return undefined;
  let first: Problem | undefined;
  for (const name of NAMES) {
    const problem = CHECKS[name]();
    fields[name].touched = true;
    show(name, problem?.message ?? '');
    if (problem && !first) {
      first = problem;
      fields[name].input.focus();
    }
  }
  return first;
}

const NEXT: Partial<Record<FieldName, FieldName>> = { number: 'expiry', expiry: 'cvc', cvc: 'postal' };

function onInput(name: FieldName, event: Event): void {
  const { input } = fields[name];
  const erasing = event instanceof InputEvent && event.inputType.startsWith('delete');
  if (name === 'number') {
    const digits = digitsOf(input.value);
    const brand = brandOf(digits);
    rewrite(input, shownNumber(digits.slice(0, lengthOf(brand.name))));
    brandMark.textContent = brand.label;
    brandMark.dataset.brand = brand.name;
    fields.cvc.input.maxLength = brand.name === 'amex' ? 4 : 3;
  }
  if (name === 'expiry' && !erasing) rewrite(input, shownExpiry(input.value));
  if (name === 'cvc') rewrite(input, digitsOf(input.value).slice(0, fields.cvc.input.maxLength));
  const problem = CHECKS[name]();
  if (problem === undefined) show(name, '');
  else if (fields[name].touched || problem.code.startsWith('invalid')) show(name, problem.message);
  const next = NEXT[name];
  const typedAtEnd =
    input.selectionStart === input.value.length && document.activeElement === input && !erasing;
  if (problem === undefined && typedAtEnd && next && fields[next].input.value === '')
    fields[next].input.focus();
  sendChange();
}

function choose(type: string): void {
  chosen = type;
  cardPart.hidden = type !== 'card';
  cashPart.hidden = type !== 'cashapp';
  sendHeight();
  sendChange();
}

function offer(): void {
  chosen = types.includes(chosen) ? chosen : (types[0] ?? 'card');
  methods.hidden = types.length < 2;
  for (const radio of methods.querySelectorAll('input')) {
    radio.checked = radio.value === chosen;
    radio.closest('label')?.toggleAttribute('hidden', !types.includes(radio.value));
  }
  choose(chosen);
}

function applyAppearance(given: unknown): void {
  const { theme, variables } = jsonOf(given);
  const root = document.documentElement;
  root.dataset.theme = theme === 'night' ? 'night' : 'light';
  for (const [name, property] of Object.entries(VARIABLES)) {
    const value = jsonOf(variables)[name];
    if (typeof value === 'string') root.style.setProperty(property, value);
    else root.style.removeProperty(property);
  }
  sendHeight();
}

async function loadFonts(given: unknown): Promise<void> {
  for (const font of Array.isArray(given) ? given.map(jsonOf) : []) {
    const { family, src, weight, style } = font;
    if (typeof family !== 'string' || typeof src !== 'string') {
      console.warn('stripe stand-in: fonts are taken as { family, src }, not as style sheets.');
      continue;
    }
    const face = new FontFace(family, src, {
      ...(typeof weight === 'string' ? { weight } : {}),
      ...(typeof style === 'string' ? { style } : {}),
    });
    document.fonts.add(face);
    await face
      .load()
      .then(sendHeight, () => console.warn(`stripe stand-in: the font ${family} could not be loaded.`));
  }
}

async function call(method: 'GET' | 'POST', path: string, values: [string, string][]): Promise<Json> {
  const text = new URLSearchParams(values).toString();
  try {
    const answer = await fetch(method === 'GET' ? `${path}?${text}` : path, {
      method,
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/x-www-form-urlencoded' },
      ...(method === 'POST' ? { body: text } : {}),
    });
    const body = jsonOf(await answer.json());
    return answer.ok ? { object: body } : { error: jsonOf(body.error) };
  } catch {
    return {
      error: {
        type: 'api_connection_error',
        message:
          'The payment could not be sent. Check your connection and try again; you were not charged twice.',
      },
    };
  }
}

function pathOf(secret: string): string {
  const id = secret.slice(0, secret.indexOf('_secret_'));
  return `/v1/${id.startsWith('seti_') ? 'setup_intents' : 'payment_intents'}/${encodeURIComponent(id)}`;
}

function pairsOf(values: Json, prefix: string): [string, string][] {
  return Object.entries(values).flatMap(([name, value]): [string, string][] => {
    if (value === undefined || value === null) return [];
    return typeof value === 'object'
      ? pairsOf(jsonOf(value), `${prefix}[${name}]`)
      : [[`${prefix}[${name}]`, String(value)]];
  });
}

function methodData(billingDetails: unknown): Json {
  if (chosen === 'cashapp') return { type: 'cashapp', billing_details: billingDetails };
  const { month, year } = expiryOf();
  const billing = jsonOf(billingDetails);
  return {
    type: 'card',
    card: {
      number: digitsOf(fields.number.input.value),
      exp_month: month,
      exp_year: year,
      cvc: digitsOf(fields.cvc.input.value),
    },
    billing_details: {
      ...billing,
      address: { postal_code: fields.postal.input.value.trim(), ...jsonOf(billing.address) },
    },
  };
}

/** An issuer's no is shown at the field it is about, as well as told to the page. */
function showRefusal(error: Json): void {
  if (error.type !== 'card_error' || chosen !== 'card') return;
  const name: FieldName = /cvc/.test(String(error.code))
    ? 'cvc'
    : /expir/.test(String(error.code))
      ? 'expiry'
      : 'number';
  show(name, String(error.message));
}

async function confirm(message: Json): Promise<Json> {
  const secret = String(message.clientSecret);
  const pairs = pairsOf(methodData(message.billingDetails), 'payment_method_data');
  if (typeof message.returnUrl === 'string') pairs.push(['return_url', message.returnUrl]);
  pairs.push(['use_stripe_sdk', 'true'], ['client_secret', secret]);
  form.inert = true;
  const result = await call('POST', `${pathOf(secret)}/confirm`, pairs);
  form.inert = false;
  if (result.error) showRefusal(jsonOf(result.error));
  return result;
}

async function create(message: Json): Promise<Json> {
  const data = methodData(message.billingDetails);
  const pairs = Object.entries(data).flatMap(([name, value]): [string, string][] =>
    typeof value === 'string' ? [[name, value]] : pairsOf(jsonOf(value), name),
  );
  return call('POST', '/v1/payment_methods', pairs);
}

/** Reads the intent for which ways to pay it allows. */
async function refresh(): Promise<Json> {
  if (clientSecret === undefined) return {};
  const { object, error } = await call('GET', pathOf(clientSecret), [['client_secret', clientSecret]]);
  if (error) return { error };
  const offered = jsonOf(object).payment_method_types;
  types = Array.isArray(offered) ? offered.map(String) : ['card'];
  offer();
  return {};
}

async function onMessage(message: Json): Promise<void> {
  const answer = (result: Json): void => port?.postMessage({ kind: 'answer', id: message.id, result });
  switch (message.kind) {
    case 'submit': {
      const problem = firstProblem();
      return answer(
        problem ? { error: { type: 'validation_error', ...problem } } : { selectedPaymentMethod: chosen },
      );
    }
    case 'confirm':
      return answer(await confirm(message));
    case 'create':
      return answer(await create(message));
    case 'refresh':
      return answer(await refresh());
    case 'appearance':
      return applyAppearance(message.appearance);
    case 'focus':
      return chosen === 'card' ? fields.number.input.focus() : undefined;
    case 'blur':
      return document.activeElement instanceof HTMLElement ? document.activeElement.blur() : undefined;
    case 'clear':
      for (const name of NAMES) {
        fields[name].input.value = '';
        fields[name].touched = false;
        show(name, '');
      }
      brandMark.textContent = '';
      return sendChange();
    default:
      return undefined;
  }
}

async function begin(init: Json): Promise<void> {
  key = String(init.key);
  clientSecret = typeof init.clientSecret === 'string' ? init.clientSecret : undefined;
  types = Array.isArray(init.allowedPaymentMethodTypes)
    ? init.allowedPaymentMethodTypes.map(String)
    : ['card'];
  applyAppearance(init.appearance);
  void loadFonts(init.fonts);
  const { error } = await refresh();
  if (error) {
    failurePart.textContent = String(jsonOf(error).message);
    failurePart.hidden = false;
    form.hidden = true;
    sendHeight();
    return send('loaderror', { error });
  }
  offer();
  form.hidden = false;
  sendHeight();
  send('ready');
}

for (const name of NAMES) {
  const { input } = fields[name];
  input.addEventListener('input', (event) => onInput(name, event));
  input.addEventListener('blur', () => {
    if (input.value === '') return;
    fields[name].touched = true;
    show(name, CHECKS[name]()?.message ?? '');
  });
}
methods.addEventListener('change', (event) => {
  if (event.target instanceof HTMLInputElement) choose(event.target.value);
});
form.addEventListener('submit', (event) => event.preventDefault());
form.addEventListener('focusin', (event) => {
  if (!(event.relatedTarget instanceof Node) || !form.contains(event.relatedTarget)) send('focus');
});
form.addEventListener('focusout', (event) => {
  if (!(event.relatedTarget instanceof Node) || !form.contains(event.relatedTarget)) send('blur');
});
window.addEventListener('keydown', (event) => {
  if (event.key === 'Escape') send('escape');
});
new ResizeObserver(sendHeight).observe(document.body);
window.addEventListener('message', (event) => {
  const message = jsonOf(event.data);
  const [given] = event.ports;
  if (event.source !== window.parent || message.kind !== 'init' || !given || port) return;
  port = given;
  port.onmessage = ({ data }: MessageEvent) => void onMessage(jsonOf(data));
  void begin(message);
});
// Says nothing but that it is here: whoever frames this page may hear it.
window.parent.postMessage({ kind: 'hello' }, '*');
