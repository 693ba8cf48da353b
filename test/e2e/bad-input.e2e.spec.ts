/**
 * What nobody should send, over HTTP and on the real pieces: each gets its clear answer, and nothing changes,
 * neither a row nor an entry nor anything at the card provider.
 */
import { beforeAll, describe, expect, it } from '@jest/globals';
import { v4 as uuidv4, v7 as uuidv7 } from 'uuid';
import { useEvidence } from '#test/support/evidence';
import { CardProviderWorld, intentOf } from '#test/support/payer';
import { json, Person, refusal } from '#test/support/person';
import { useStack } from '#test/support/stack';

const stack = useStack(['all']);
const PAY = '/api/create-payment-intent';
const WEBHOOK = '/api/webhooks/stripe';

const provider = new CardProviderWorld(stack);
const evidence = useEvidence(stack);
let juno: Person;
let milo: Person;
let leaver: Person;
let stranger: Person;

beforeAll(async () => {
  const [first, second, third] = await Promise.all(
    ['Juno', 'Milo', 'Lea'].map((name) => Person.signUp(stack().url, name)),
  );
  [juno, milo, leaver] = [first!, second!, third!];
  stranger = new Person(stack().url, 'Nobody', 'nobody', 'nobody@valastro.example');
  await provider.card((await juno.pay(milo.id, '12.34', { description: 'For the encore' })).clientSecret);
  await provider.delivered();
});

/** The log, the rows, what both people see, and what the card provider has. */
async function everything() {
  const [kept, intents, ...seen] = await Promise.all([
    evidence.everything(),
    provider.stripe.paymentIntents.list({ limit: 100 }),
    ...[juno, milo].map(async (person) => [
      await person.me(),
      await person.transactions(),
      await person.settings(),
    ]),
  ]);
  return { ...kept, intents: intents.data.map(({ id, status }) => `${id} ${status}`), seen };
}
/** A group of tests; whatever they send, nothing is changed by it. */
function describeUnchanged(what: string, tests: () => void): void {
  describe(what, () => {
    let before: Awaited<ReturnType<typeof everything>>;
    beforeAll(async () => {
      before = await everything();
    });
    tests();
    it('has changed nothing', async () => expect(await everything()).toEqual(before));
  });
}

describeUnchanged('an amount', () => {
  const NOT_POSITIVE = 'Please enter a valid amount greater than 0.';
  const SMALLEST = 'The smallest payment is $0.50.';
  const LARGEST = 'The largest payment is $999,999.99.';
  const NO_NUMBER = 'The amount must be a plain number of dollars, such as 20 or 12.50.';
  const MISSING = 'Please enter an amount.';
  const DECIMALS = 'An amount has at most two decimals, such as 12.50.';

  it.each<[unknown, string]>([
    ['0', NOT_POSITIVE],
    [0, NOT_POSITIVE],
    ['0.00', NOT_POSITIVE],
    ['-1', NOT_POSITIVE],
    [-1, NOT_POSITIVE],
    ['0.49', SMALLEST],
    [0.49, SMALLEST],
    ['1e3', NO_NUMBER],
    ['0.001', DECIMALS],
    [0.001, DECIMALS],
    [20.005, DECIMALS],
    ['NaN', NO_NUMBER],
    ['Infinity', NO_NUMBER],
    ['99999999999', LARGEST],
    [99999999999, LARGEST],
    ['1000000', LARGEST],
    [1e21, LARGEST],
    ['9'.repeat(40), LARGEST],
    ['', MISSING],
    [null, MISSING],
    [undefined, MISSING],
    ['   ', MISSING],
    ['<script>alert(1)</script>', NO_NUMBER],
    ['$20', NO_NUMBER],
    ['1,250', 'Write thousands without a comma or point, such as 1250 or 1250.00.'],
    ['1e3', NO_NUMBER],
    ['0x20', NO_NUMBER],
    ['٢٠', NO_NUMBER],
    [true, NO_NUMBER],
    [['20'], NO_NUMBER],
    [{ $gt: 0 }, NO_NUMBER],
  ])('of %j is refused in a sentence', async (amount, sentence) => {
    expect(refusal(await juno.post(PAY, { toUserId: milo.id, amount }))).toEqual([400, sentence]);
  });

  it('that is no JSON is refused', async () => {
    const answer = await juno.post(PAY, `{"toUserId":"${milo.id}","amount":NaN}`);
    expect(refusal(answer)).toEqual([400, 'The request could not be understood.']);
  });
});

describeUnchanged('a stage name', () => {
  it.each(['Encore', 'Encor\u00e9 Support'])(
    'that could be taken for ours is refused: %s',
    async (stageName) => {
      const answer = await juno.put('/api/tip-page', { stageName, line: '', isListed: false });
      expect(refusal(answer)).toEqual([
        409,
        'This stage name could be taken for one of ours. Please choose another one.',
      ]);
    },
  );
});

describeUnchanged('a recipient', () => {
  const pay = (toUserId: unknown) => juno.post(PAY, { toUserId, amount: '20.00' });

  it('who is unknown is not found', async () => {
    for (const unknown of [
      'usr_00000000000000000000000000',
      'nobody',
      milo.email,
      '<script>alert(1)</script>',
      'x'.repeat(101),
      '__proto__',
    ])
      expect([unknown, ...refusal(await pay(unknown))]).toEqual([
        unknown,
        expect.any(Number),
        'Recipient user not found',
      ]);
    expect((await pay('usr_00000000000000000000000000')).status).toBe(404);
  });
  it('who is none is asked for', async () => {
    for (const none of ['', '  ', null, undefined, 7, [milo.id], { id: milo.id }])
      expect([none, ...refusal(await pay(none))]).toEqual([none, 400, 'Please enter a recipient ID.']);
  });
  it('who is the payer is refused', async () => {
    for (const own of [juno.id, ` ${juno.id} `])
      expect(refusal(await pay(own))).toEqual([
        422,
        'You cannot pay yourself. Choose somebody else as the recipient.',
      ]);
  });
});

describeUnchanged('the rest of a payment', () => {
  const pay = (more: object) => juno.post(PAY, { toUserId: milo.id, amount: '20.00', ...more });

  it('is refused where it is wrong', async () => {
    expect(refusal(await pay({ description: 'x'.repeat(501) }))).toEqual([
      400,
      'A description has at most 500 characters.',
    ]);
    expect(refusal(await pay({ description: { html: '<b>' } }))).toEqual([
      400,
      'The description must be text.',
    ]);
    expect(refusal(await pay({ description: 'a\u0000b' }))).toEqual([
      400,
      'The description holds a character that cannot be shown.',
    ]);
    for (const paymentMethod of ['bitcoin', '', null, ['card']])
      expect(refusal(await pay({ paymentMethod }))).toEqual([400, 'The payment method is card or cashapp.']);
  });

  it.each(['', '[]', 'null', '"pay"', '7', 'true'])('is refused when the body is %s', async (body) => {
    expect(refusal(await juno.post(PAY, body))).toEqual([400, 'Send the payment as a JSON object.']);
  });
  it.each(['{', '{"__proto__":{"amount":"20.00"}}'])('is refused when the body is %j', async (body) => {
    const [status, sentence] = refusal(await juno.post(PAY, body));
    expect([status, sentence.length > 10]).toEqual([400, true]);
  });

  it('larger than any payment is refused', async () => {
    for (const length of [300_000, 3_000_000]) {
      const answer = await juno.post(PAY, {
        toUserId: milo.id,
        amount: '20.00',
        description: 'x'.repeat(length),
      });
      expect(refusal(answer)).toEqual([413, 'The request is too large.']);
    }
  });

  it('as a form, which any site could send, is refused', async () => {
    for (const type of [
      'application/x-www-form-urlencoded',
      'text/plain',
      'multipart/form-data; boundary=x',
    ]) {
      const answer = await juno.post(PAY, `amount=20.00&toUserId=${milo.id}`, { 'content-type': type });
      expect([type, ...refusal(answer)]).toEqual([
        type,
        415,
        'Send the request as JSON (Content-Type: application/json).',
      ]);
    }
  });
});

describeUnchanged('a key', () => {
  const tip = () => ({ toUserId: milo.id, amount: '20.00' });

  it('that is no UUIDv7 of now is refused', async () => {
    for (const key of ['again', uuidv4(), '00000000-0000-0000-0000-000000000000', `${uuidv7()} `.repeat(2)])
      expect(refusal(await juno.post(PAY, tip(), { 'idempotency-key': key }))).toEqual([
        400,
        'The Idempotency-Key must be a UUID of version 7.',
      ]);
    const tomorrow = uuidv7({ msecs: Date.now() + 86_400_000 });
    expect(refusal(await juno.post(PAY, tip(), { 'idempotency-key': tomorrow }))).toEqual([
      400,
      'The clock of this device is more than five minutes ahead of the server’s. Check it; if it is right, the server’s is wrong: tell whoever runs it.',
    ]);
  });
});

describe('a key of a payment', () => {
  const key = uuidv7();
  let first: unknown;
  beforeAll(async () => {
    first = await juno.pay(milo.id, '20.00', { description: 'Once' }, key);
  });
  describeUnchanged('that was made', () => {
    it('is refused with any other body, and answers the same to the same', async () => {
      const same = { toUserId: milo.id, amount: '20.00', description: 'Once' };
      for (const other of [
        { amount: '20.01' },
        { description: 'Twice' },
        { description: null },
        { paymentMethod: 'cashapp' },
      ])
        expect(refusal(await juno.post(PAY, { ...same, ...other }, { 'idempotency-key': key }))).toEqual([
          422,
          'This request was already made with other details. Start again to make a new one.',
        ]);
      expect(json(await juno.post(PAY, { ...same, amount: 20 }, { 'idempotency-key': key }))).toEqual(first);
    });
  });
});

describeUnchanged('somebody else’s', () => {
  it('things are not there, whatever the path says', async () => {
    const paths = [
      `/api/settings/${milo.id}`,
      `/api/transactions/${milo.id}`,
      `/api/users/${milo.id}/transactions`,
      `/api/users/${milo.id}/settings`,
    ];
    // Where an address can only be read, whoever’s id is in it, that is told: it is in the description of the
    // API.
    const isReadOnly = (path: string): boolean => path.startsWith('/api/transactions/');
    for (const method of ['GET', 'PUT', 'POST', 'DELETE'])
      for (const path of paths)
        expect([
          method,
          path,
          (await juno.call(method, path, method === 'GET' ? undefined : { privacyModeEnabled: true })).status,
        ]).toEqual([method, path, method !== 'GET' && isReadOnly(path) ? 405 : 404]);
    for (const method of ['PUT', 'POST', 'PATCH', 'DELETE'])
      expect((await juno.call(method, `/api/users/${milo.id}`, { firstName: 'Mallory' })).status).toBe(405);
  });
  it('list, settings and balance cannot be asked for', async () => {
    expect(json(await juno.get(`/api/transactions?userId=${milo.id}`))).toEqual(await juno.transactions());
    expect(json(await juno.get(`/api/auth/user?id=${milo.id}`))).toMatchObject({ id: juno.id });
    expect(json(await juno.get(`/api/settings?userId=${milo.id}`))).toEqual(await juno.settings());
  });
  it('address is not told to whoever knows the id, nor anything about money', async () => {
    const found = json(await juno.get(`/api/users/${milo.id}`)) as object;
    expect(Object.keys(found).sort()).toEqual(['firstName', 'id', 'isVerified', 'lastName', 'username']);
  });
  it.each([
    '<script>alert(1)</script>',
    "' or 1=1 --",
    '%',
    '..',
    '../settings',
    '\u0000',
    'x'.repeat(255),
    '@',
    '%25%32%65',
  ])('account is not found by %j', async (term) => {
    const answer = await juno.get(`/api/users/${encodeURIComponent(term)}`);
    expect([answer.status, typeof refusal(answer)[1], answer.text.includes('<script')]).toEqual([
      404,
      'string',
      false,
    ]);
  });
});

describeUnchanged('a list or a setting', () => {
  it.each([
    'limit=0',
    'limit=1001',
    'limit=-1',
    'limit=1.5',
    'limit=all',
    'cursor=x',
    "cursor=1-1'",
    'cursor=-1',
    'cursor=12',
  ])('asked for with %s is refused', async (query) => {
    const [status, sentence] = refusal(await juno.get(`/api/transactions?${query}`));
    expect([status, /^The (limit is a whole number|cursor is none)/.test(sentence)]).toEqual([400, true]);
  });
  it.each(['payouts', 'treasury/transactions', 'subscriptions', 'scheduled-payments'])(
    'of %s is asked in the same words, and refused in them',
    async (list) => {
      expect(json(await juno.get(`/api/${list}?limit=5&from=2026-01-01&to=2026-12-31&search=juno`))).toEqual(
        [],
      );
      for (const query of [
        'limit=1001',
        'cursor=1-1',
        'from=yesterday',
        'status=gone&type=gone',
        `search=${'x'.repeat(101)}`,
      ]) {
        const [status, sentence] = refusal(await juno.get(`/api/${list}?${query}`));
        expect([query, status, sentence]).toEqual([query, 400, expect.stringMatching(/^(The|A) .+\.$/)]);
      }
    },
  );
  it.each(['bank-accounts', 'treasury/wallets', 'payment-methods'])('of %s has pages too', async (list) => {
    expect(json(await juno.get(`/api/${list}?limit=5`))).toEqual([]);
    for (const query of ['limit=0', 'cursor=x']) {
      const [status, sentence] = refusal(await juno.get(`/api/${list}?${query}`));
      expect([query, status, sentence]).toEqual([
        query,
        400,
        expect.stringMatching(/^The (limit|cursor) .+\.$/),
      ]);
    }
  });
  it.each([
    {},
    { privacyModeEnabled: 'true' },
    { privacyModeEnabled: 1 },
    { isVerified: true },
    { biometricEnabled: true, privacyModeEnabled: true },
    [],
  ])('of %j is refused', async (body) => {
    const [status, sentence] = refusal(await juno.put('/api/settings', body));
    expect([status, sentence]).toEqual([
      400,
      expect.stringContaining('Send exactly one setting, true or false'),
    ]);
  });
});

describeUnchanged('signed out', () => {
  const CALLS = [
    'auth/user',
    'users/x',
    'transactions',
    'settings',
    'create-payment-intent',
    'subscriptions',
    'nothing',
    'docs',
    '',
  ];

  it.each(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'])(
    'every %s, known or not, is Unauthorized',
    async (method) => {
      const body = method === 'GET' ? undefined : { amount: '20.00', toUserId: milo.id };
      for (const call of CALLS)
        expect([call, ...refusal(await stranger.call(method, `/api/${call}`, body))]).toEqual([
          call,
          401,
          'Unauthorized',
        ]);
    },
  );
  it('with a session that never was is Unauthorized', async () => {
    for (const value of ['x', `${'a'.repeat(43)}`, "' or 1=1 --", `${'%00'.repeat(9)}`])
      for (const path of ['/api/auth/user', '/%61pi/auth/user', '/api//auth/user', '/api/auth/user/'])
        expect(
          refusal(await stranger.call('GET', path, undefined, { cookie: `encore_session=${value}` })),
        ).toEqual([401, 'Unauthorized']);
    const answer = await stranger.call(
      'POST',
      PAY,
      { amount: 1 },
      { cookie: 'encore_session=x', 'idempotency-key': uuidv7() },
    );
    expect(refusal(answer)).toEqual([401, 'Unauthorized']);
  });
  it('a session that has ended stays ended', async () => {
    const cookies = await leaver.jar.getCookieString(stack().url);
    await leaver.signOut();
    const answer = await stranger.call('GET', '/api/auth/user', undefined, { cookie: cookies });
    expect(refusal(answer)).toEqual([401, 'Unauthorized']);
  });
  it('a sign-in that was never begun ends in a page that says so', async () => {
    const page = await stranger.navigate('/api/login/callback?code=x&state=y&iss=https://evil.example');
    expect([page.status, page.text]).toEqual([
      400,
      expect.stringContaining('This sign-in has expired or was begun in another browser.'),
    ]);
    expect(await stranger.jar.getCookieString(stack().url)).not.toContain('encore_session');
  });
});

describeUnchanged('another site', () => {
  it.each<Record<string, string>>([
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
  ])('with %j makes nobody pay or change anything', async (headers) => {
    const sentence = 'This request came from another site and was not carried out.';
    expect(refusal(await juno.call('POST', PAY, { toUserId: milo.id, amount: '20.00' }, headers))).toEqual([
      403,
      sentence,
    ]);
    expect(refusal(await juno.call('PUT', '/api/settings', { privacyModeEnabled: true }, headers))).toEqual([
      403,
      sentence,
    ]);
  });

  it.each([
    'https://evil.example/',
    '//evil.example',
    '/\\evil.example',
    '/\t/evil.example',
    '/.//evil.example',
    'javascript:alert(1)',
    '@evil.example',
    '/%0d%0aset-cookie:a=b',
    '/api/logout',
    '/x\r\nlocation: https://evil.example',
  ])('is never where a sign-in returns to: %j', async (returnTo) => {
    const page = await juno.navigate(`/api/login?returnTo=${encodeURIComponent(returnTo)}`);
    expect(new URL(page.url).origin).toBe(stack().url);
    expect(['/', '/%0d%0aset-cookie:a=b']).toContain(new URL(page.url).pathname);
    expect(page.headers.get('set-cookie')).toBeNull();
  });
  it('is never where a sign-in returns to when it is said twice', async () => {
    const page = await juno.navigate('/api/login?returnTo=/history&returnTo=//evil.example');
    expect(page.url).toBe(`${stack().url}/`);
  });
});

describe('a webhook', () => {
  const payloadOf = (intentId: string) =>
    JSON.stringify({
      id: 'evt_forged',
      object: 'event',
      type: 'payment_intent.succeeded',
      created: Math.floor(Date.now() / 1000),
      data: {
        object: {
          id: intentId,
          object: 'payment_intent',
          status: 'succeeded',
          amount: 99_999_999,
          metadata: {},
        },
      },
    });
  const signed = (payload: string, secret: string, ageSeconds = 0) =>
    provider.stripe.webhooks.generateTestHeaderString({
      payload,
      secret,
      timestamp: Math.floor(Date.now() / 1000) - ageSeconds,
    });
  const send = (payload: string, signature?: string) =>
    stranger.call('POST', WEBHOOK, payload, signature === undefined ? {} : { 'stripe-signature': signature });
  const secret = () => stack().env.STRIPE_WEBHOOK_SECRET!;
  let payload = '';
  let [unpaid, unpaidId] = ['', ''];

  beforeAll(async () => {
    // Paid, and nobody was told: whatever makes us look would book it.
    await provider.control('POST', '/test/switches', { webhooks: { paused: true } });
    const { clientSecret } = await juno.pay(milo.id, '5.00');
    await provider.card(clientSecret);
    payload = payloadOf(intentOf(clientSecret));
    const open = await juno.pay(milo.id, '6.00');
    [unpaid, unpaidId] = [intentOf(open.clientSecret), open.paymentId];
  });

  describeUnchanged('that is forged', () => {
    it('is refused without a signature, with another’s, with an old one, and when it was tampered with', async () => {
      const right = signed(payload, secret());
      const forged: [string, string?][] = [
        [payload],
        [payload, ''],
        [payload, 'x'],
        [payload, signed(payload, 'whsec_somebody_else')],
        [payload, signed(payload, secret(), 601)],
        [payload, right.replace(/v1=/, 'v0=')],
        [`${payload} `, right],
        [payload.replace('99999999', '99999998'), right],
      ];
      for (const [body, signature] of forged)
        expect(refusal(await send(body, signature))).toEqual([
          400,
          'This webhook is not signed by the card provider, or its signature is too old.',
        ]);
      expect((await stranger.call('GET', WEBHOOK)).status).toBe(405);
    });
    it('in content is a hint and no more: what it says is read at the provider', async () => {
      const lie = payloadOf(unpaid);
      expect((await send(lie, signed(lie, secret()))).status).toBe(200);
      expect((await juno.transactions()).map(({ id }) => id)).not.toContain(unpaidId);
    });
  });

  it('that is right is taken, and then the next one of the same changes nothing', async () => {
    const earned = (await milo.me()).earnings;
    expect((await send(payload, signed(payload, secret()))).status).toBe(200);
    await evidence.shown();
    expect([earned, (await milo.me()).earnings]).toEqual(['12.34', '17.34']);
    const { revision } = await evidence.everything();
    expect((await send(payload, signed(payload, secret()))).status).toBe(200);
    await provider.control('DELETE', '/test/switches');
    await provider.delivered();
    expect((await evidence.everything()).revision).toBe(revision);
  });
});

describe('after all of it', () => {
  it('a payment names its own payer, whatever else its body says', async () => {
    const { paymentId } = await juno.pay(milo.id, '2.00', {
      payerId: milo.id,
      userId: milo.id,
      status: 'completed',
      amountMinor: 1,
    });
    const opened = (await evidence.journal()).find(
      (event) => event.type === 'PaymentOpened' && event.data.paymentId === paymentId,
    );
    expect(opened?.data).toMatchObject({ payerId: juno.id, recipientId: milo.id, amountMinor: 200 });
  });
  it('a note that looks like a script is text', async () => {
    const description = '<script>alert(1)</script>';
    await provider.card((await juno.pay(milo.id, '2.00', { description })).clientSecret);
    await provider.delivered();
    await evidence.shown();
    const answer = await milo.get('/api/transactions');
    expect(answer.headers.get('content-type')).toContain('application/json');
    expect((await milo.transactions())[0]).toMatchObject({ description });
  });
  it('the books are in order', () => evidence.holds());
});
