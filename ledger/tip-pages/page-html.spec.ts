/** The public tip page's HTML: readable without its script, nothing that people wrote runs, and light. */
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { noPageHtml, receiptHtml, tipPageHtml, type PageFrame, type ScriptFacts } from './page-html.js';
import type { PaidPerformer, PaidTip, ShownTipPage } from './tip-page-reads.js';

const FRAME: PageFrame = {
  nonce: 'n0nce',
  origin: 'https://encore.example',
  script: 'run()',
  font: undefined,
  isStaging: false,
  freshness: 'fresh',
};
const EVIL = '<img src=x onerror=alert(1)>"\'';
const page = (more: Partial<ShownTipPage> = {}): ShownTipPage => ({
  userId: 'usr_juno',
  handle: 'junoplays',
  name: 'Juno Valastro',
  shortName: 'Juno',
  line: 'plays the piano',
  isVerified: true,
  isListed: false,
  isPublished: true,
  pictureHash: undefined,
  ...more,
});
const FACTS: ScriptFacts = {
  handle: 'junoplays',
  userId: 'usr_juno',
  stripeKey: 'pk_test_x',
  stripeScript: 'https://js.stripe.com/endive/stripe.js',
  methods: ['card', 'cashapp'],
  isSignedIn: false,
  isPreview: false,
  isOwners: false,
};
const payment = (more: Partial<PaidTip> = {}): PaidTip => ({
  id: 'pay_7q4m2k9dabcdefghjkmnpqrstv',
  recipientId: 'usr_juno',
  kind: 'payment',
  amountMinor: 1000,
  refundedMinor: 0,
  disputedMinor: 0,
  status: 'completed',
  method: 'card',
  note: 'For the encore',
  guestName: 'Wren',
  thanks: null,
  failureReason: null,
  settledAt: new Date('2026-07-01T21:44:05Z'),
  isClaimed: false,
  ...more,
});
const JUNO: PaidPerformer = { ...page(), isClosed: false };
const TOKEN = { token: 'AAAAAAAAAAAAAAAAAAAAAA', isSignedIn: false, isOwn: false, isForgotten: false };

describe('a guest’s receipt', () => {
  it('shows the thanks that came back', () => {
    const paid = payment({ thanks: 'made_my_night' });
    expect(receiptHtml(FRAME, JUNO, paid, TOKEN)).toContain('Juno answers: “You made my night.”');
    expect(receiptHtml(FRAME, JUNO, payment(), TOKEN)).not.toContain('answers');
  });
});

describe('the tip page', () => {
  it('says who is tipped and how much, and what to do without script', () => {
    const html = tipPageHtml(FRAME, page(), FACTS, '<svg></svg>');
    for (const words of ['Juno Valastro', 'plays the piano', 'Verified', '$5', '$10', '$20', '$50', 'Other'])
      expect(html).toContain(words);
    expect(html).toMatch(/<noscript>.*Paying needs JavaScript/);
  });

  it('is not listed by search engines unless its owner wants that, and never while it is a preview', () => {
    const robots = (of: ShownTipPage): boolean => tipPageHtml(FRAME, of, FACTS, '').includes('noindex');
    expect(robots(page())).toBe(true);
    expect(robots(page({ isListed: true }))).toBe(false);
    expect(robots(page({ isListed: true, isPublished: false }))).toBe(true);
  });

  it('has a preview of its link with a picture: the owner’s, or ours', () => {
    expect(tipPageHtml(FRAME, page(), FACTS, '')).toContain(
      '<meta property="og:image" content="https://encore.example/icon-512.png">',
    );
    expect(tipPageHtml(FRAME, page({ pictureHash: 'h'.repeat(43) }), FACTS, '')).toContain(
      `content="https://encore.example/@junoplays/picture/${'h'.repeat(43)}"`,
    );
  });

  it('says in an outage that payments may have to wait, as each of its states does', () => {
    const shown = (frame: PageFrame): string[] => [
      tipPageHtml(frame, page(), FACTS, ''),
      receiptHtml(frame, JUNO, undefined, TOKEN),
      receiptHtml(frame, JUNO, payment(), TOKEN),
      noPageHtml(frame, 'nobody'),
    ];
    for (const html of shown({ ...FRAME, freshness: 'stale' }))
      expect(html).toContain(
        'id="out-of-date">What you see may be out of date, and payments may have to wait.',
      );
    for (const html of shown({ ...FRAME, freshness: 'closed' }))
      expect(html).toContain('id="out-of-date">Payments and changes are closed for now');
    for (const html of shown(FRAME)) expect(html).not.toContain('out-of-date');
  });

  it('runs nothing that people wrote, wherever it stands', () => {
    const evil = page({ name: EVIL, shortName: EVIL, line: EVIL });
    const facts = { ...FACTS, handle: '</script><script>alert(1)</script>' };
    for (const html of [
      tipPageHtml(FRAME, evil, facts, ''),
      receiptHtml(FRAME, { ...evil, isClosed: false }, payment({ note: EVIL, guestName: EVIL }), TOKEN),
      noPageHtml(FRAME, EVIL),
    ]) {
      expect(html).not.toContain('<img src=x');
      expect(html).not.toContain('<script>alert');
      for (const [, attributes] of html.matchAll(/<(?:script|style)([^>]*)>/g))
        expect(attributes).toContain('nonce="n0nce"');
    }
  });

  it('promises whoever is signed in nothing about accounts', () => {
    const words = 'No app, no account. Card details';
    expect(tipPageHtml(FRAME, page(), FACTS, '')).toContain(words);
    expect(tipPageHtml(FRAME, page(), { ...FACTS, isSignedIn: true }, '')).not.toContain(words);
  });

  it('tells its owner that others see it so, and nobody else', () => {
    const words = 'This is your page, as others see it.';
    expect(tipPageHtml(FRAME, page(), { ...FACTS, isOwners: true }, '')).toContain(words);
    expect(tipPageHtml(FRAME, page(), FACTS, '')).not.toContain(words);
    expect(tipPageHtml(FRAME, page(), { ...FACTS, isOwners: true, isPreview: true }, '')).not.toContain(
      words,
    );
  });

  it('has the app’s typeface at once where no script would load it', () => {
    const frame = { ...FRAME, font: '/assets/archivo.woff2' };
    expect(noPageHtml(frame, 'nobody')).toContain('src:url(/assets/archivo.woff2)');
    expect(tipPageHtml(frame, page(), FACTS, '')).not.toContain('@font-face');
    expect(noPageHtml(FRAME, 'nobody')).not.toContain('@font-face');
  });

  it('is light: without its script less than 12 kB on the way', () => {
    expect(gzipSync(tipPageHtml(FRAME, page(), FACTS, '')).length).toBeLessThan(12_000);
  });
});

describe('what is written from right to left', () => {
  it('keeps its signs at its own ends, on the receipt and while it is typed', () => {
    const note = 'أحسنت!';
    expect(receiptHtml(FRAME, JUNO, payment({ note }), TOKEN)).toContain(`<bdi>“${note}”</bdi>`);
    const inputs = tipPageHtml(FRAME, page(), FACTS, '').match(/<input[^>]*id="(?:note|name)"[^>]*>/g);
    expect(inputs).toHaveLength(2);
    for (const input of inputs ?? []) expect(input).toContain('dir="auto"');
  });
});

describe('a receipt', () => {
  it('says what was paid to whom, and asks nobody to find it', () => {
    const html = receiptHtml(FRAME, JUNO, payment(), TOKEN);
    expect(html).toContain('Juno has your $10<span class="cents">.00</span>');
    for (const words of ['7Q4M 2K9D', 'For the encore', 'Wren', 'noindex', 'Send it to my email'])
      expect(html).toContain(words);
  });

  it('calls whoever stayed anonymous a guest', () => {
    expect(receiptHtml(FRAME, JUNO, payment({ guestName: null }), TOKEN)).toContain('A guest');
  });

  it('of somebody signed in leads to their list: nothing to mail, to claim or to forget', () => {
    const own = { token: payment().id, isSignedIn: true, isOwn: true, isForgotten: false };
    const html = receiptHtml(FRAME, JUNO, payment({ kind: 'transfer', method: null, guestName: null }), own);
    for (const words of ['Balance', 'You', `/history?receipt=${payment().id}`, 'Tip Juno again'])
      expect(html).toContain(words);
    for (const words of ['Send it to my email', 'Create an account', 'Forget my name'])
      expect(html).not.toContain(words);
  });

  it('of somebody forgotten has nothing more to mail or to forget, and can still be claimed', () => {
    const forgotten = payment({ note: null, guestName: null });
    const html = receiptHtml(FRAME, JUNO, forgotten, { ...TOKEN, isForgotten: true });
    expect(html).toContain('Your name and your note are forgotten.');
    expect(html).toContain('Create an account');
    for (const words of ['Send it to my email', 'Forget my name']) expect(html).not.toContain(words);
  });

  it('of a closed account says what was paid, and leads to no page that is gone', () => {
    const name = 'A closed account';
    const html = receiptHtml(FRAME, { ...JUNO, name, shortName: name, isClosed: true }, payment(), TOKEN);
    for (const words of ['Your tip of $10', name, 'Forget my name', 'Send it to my email'])
      expect(html).toContain(words);
    for (const words of ['has your', 'again', '@junoplays)']) expect(html).not.toContain(words);
  });

  it('of returned money says what the performer still has of it', () => {
    const some = receiptHtml(FRAME, JUNO, payment({ refundedMinor: 400 }), TOKEN);
    expect(some).toContain('Juno has your $6<span class="cents">.00</span>');
    const all = receiptHtml(FRAME, JUNO, payment({ refundedMinor: 1000 }), TOKEN);
    expect(all).toContain('Your $10<span class="cents">.00</span> was returned');
    for (const words of ['has your', 'class="tick"']) expect(all).not.toContain(words);
  });

  it('of money that the payer’s bank took back says what the performer still has of it', () => {
    const some = receiptHtml(FRAME, JUNO, payment({ disputedMinor: 250, refundedMinor: 400 }), TOKEN);
    expect(some).toContain('Juno has your $3<span class="cents">.50</span>');
    for (const words of ['<dt>Refunded</dt><dd>$4.00</dd>', '<dt>Taken back</dt><dd>$2.50</dd>'])
      expect(some).toContain(words);
    // A refund that was on its way when the dispute took its money exceeds the payment together with it.
    const disputed = { disputedMinor: 1000, status: 'dispute_lost' };
    for (const [refundedMinor, heading] of [
      [0, 'Your bank took back your $10<span class="cents">.00</span>'],
      [400, 'Your $10<span class="cents">.00</span> was returned'],
    ] as const) {
      const all = receiptHtml(FRAME, JUNO, payment({ ...disputed, refundedMinor }), TOKEN);
      expect(all).toContain(heading);
      for (const words of ['has your', 'class="tick"']) expect(all).not.toContain(words);
    }
  });

  it('waits while the money is not booked, and says so where the card was declined', () => {
    expect(receiptHtml(FRAME, JUNO, undefined, TOKEN)).toContain('being confirmed');
    const declined = payment({ settledAt: null, status: 'failed', failureReason: 'Your card was declined.' });
    const html = receiptHtml(FRAME, JUNO, declined, TOKEN);
    expect(html).toContain('Your card was declined.');
    expect(html).not.toContain('has your');
  });
});
