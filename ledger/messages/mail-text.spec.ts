/** Mails as they are written: what a name may do to one, and what stands in each. */
import { describe, expect, it } from '@jest/globals';
import { MESSAGE_KINDS, type MessageContent, type MessageKind } from '#contracts/api/messages';
import { ANONYMOUS_GUEST } from '#contracts/plain/guest';
import { mailContent, plainName, plainUsername } from './mail-text.js';
import { isAlert, textOf, type Names } from './message-texts.js';

const AT = new Date('2026-03-01T20:00:00.000Z');
const NAMES: Names = {
  people: new Map([['usr_juno', 'Juno Valastro']]),
  bankAccounts: new Map([['ba_1', 'Harbor & Main ••6789']]),
  cards: new Map([['crd_visa', 'Visa ••4242']]),
};
const ALL_FACTS = {
  thanks: 'made_my_night',
  amountMinor: 123_456,
  currency: 'usd',
  paymentId: 'pay_1',
  payerId: 'usr_juno',
  recipientId: 'usr_juno',
  payoutId: 'out_1',
  bankAccountId: 'ba_1',
  scheduleKind: 'subscription',
  scheduleId: 'sub_1',
  reason: 'Your card has expired',
  then: 'paused',
  completesAt: '2026-03-04T20:00:00.000Z',
  changedAt: '2026-02-28T20:00:00.000Z',
  happensAt: '2026-03-04T20:00:00.000Z',
  device: 'Firefox on Linux',
  place: 'Porto',
  address: '192.0.2.0',
};
const contentOf = (kind: MessageKind) => ({ kind, facts: ALL_FACTS }) as unknown as MessageContent;
const mailOf = (kind: MessageKind, mailLink?: string, names = NAMES) =>
  mailContent({
    kind,
    at: AT,
    publicUrl: 'https://encore.example',
    mailLink,
    ...textOf(contentOf(kind), names),
  });

describe('a name in a message', () => {
  it('is small within a sentence where a guest gave none', () => {
    const names: Names = { ...NAMES, people: new Map([['usr_juno', ANONYMOUS_GUEST]]) };
    expect(textOf(contentOf('tip_received'), names).text).toMatch(/^A guest paid you /);
    expect(textOf(contentOf('tip_refunded'), names).text).toContain(' from a guest was returned to them.');
  });

  it.each([
    ['Juno\r\nBcc: everybody@example.org', 'Juno Bcc: everybody@example. org'],
    ['Juno\u202Eoel', 'Juno oel'],
    ['Ju\u200Bno\u0000', 'Ju no'],
    ['example.org/win', 'example. org/win'],
    ['example。org．br', 'example。 org． br'],
    ['https://example.org', 'https: //example. org'],
    ['  Juno   Valastro ', 'Juno Valastro'],
    ['J. R. Smith', 'J. R. Smith'],
    // A phone makes a link of a number that can be called.
    ['Encore Help, call 1-800-555-0100 now', 'Encore Help, call … now'],
    ['+44 (20) 7946 0958', '+…'],
    ['Help \uff11\uff18\uff10\uff10 \uff15\uff15\uff15 \uff10\uff11\uff10\uff10', 'Help …'],
    ['Blink-182 and 4 Non Blondes, 1992', 'Blink-182 and 4 Non Blondes, 1992'],
  ])('%j is %j', (name, plain) => expect(plainName(name)).toBe(plain));

  it('is cut where it is long, between two characters', () => {
    expect([...plainName('🎸'.repeat(200))]).toHaveLength(80);
  });

  it.each([
    ['milo.2', '@milo.2'],
    ['milo https://example.org', '@milo https: //example. org'],
    ['https://example.org', '@https: //example. org'],
    ['win at example.org', '@win at example. org'],
    ['example.org/win', '@example. org/win'],
  ])('that is a username stays as it is behind its @ only while it is one word: %j is %j', (name, plain) =>
    expect(plainUsername(name)).toBe(plain),
  );

  it('is text in the HTML, whatever it says', () => {
    const names = { ...NAMES, people: new Map([['usr_juno', `<img src=x onerror="a()">&'`]]) };
    const { html } = mailOf('receipt', undefined, names);
    expect(html).not.toContain('<img');
    expect(html).toContain('&lt;img src=x onerror=&quot;a()&quot;&gt;&amp;&#39;');
  });
});

describe('a mail', () => {
  it.each(MESSAGE_KINDS)('of %s has a subject without names, one text and the same as HTML', (kind) => {
    const { subject, text, html } = mailOf(kind);
    const { title, text: sentence } = textOf(contentOf(kind), NAMES);
    expect(subject).toBe(title);
    expect(subject).not.toContain('Juno');
    expect(text).toContain(sentence);
    expect(html).toContain(sentence.replaceAll('&', '&amp;').replaceAll("'", '&#39;'));
    // Nothing is fetched, nothing runs, and each link is one of ours.
    expect(html).not.toMatch(/<(img|script|link|iframe)|url\(/);
    for (const [, href] of html.matchAll(/href="([^"]*)"/g))
      expect(href).toMatch(/^https:\/\/encore\.example(\/|$)/);
    const why = isAlert(kind) ? 'transaction alerts' : 'security of your account';
    expect(text).toContain(kind.startsWith('guest_') ? 'whoever paid asked for it' : why);
  });

  it('says amounts exactly', () =>
    expect(mailOf('receipt').text).toContain('You paid $1,234.56 to Juno Valastro.'));

  it('has the link that is for it alone first', () => {
    const { text, html } = mailOf('recovery_started', '/recovery/refuse/abc');
    expect(text).toContain('Refuse the recovery: https://encore.example/recovery/refuse/abc');
    expect(html.indexOf('/recovery/refuse/abc')).toBeLessThan(html.indexOf('/profile'));
  });

  it('about a payment to somebody who has left names nobody', () =>
    expect(
      mailOf('receipt', undefined, { people: new Map(), bankAccounts: new Map(), cards: new Map() }).text,
    ).toContain('to somebody who has left.'));
});

describe('a message of a failed payment', () => {
  const failed = (charged?: { from: 'balance' | 'card'; cardId?: string }) =>
    textOf(
      {
        kind: 'payment_failed',
        facts: {
          ...ALL_FACTS,
          scheduleKind: 'subscription',
          then: 'tried-again',
          by: AT.toISOString(),
          charged,
        },
      },
      NAMES,
    );

  it.each([
    [{ from: 'card', cardId: 'crd_visa' } as const, ' from Visa ••4242 did not go through'],
    [{ from: 'card', cardId: 'crd_gone' } as const, ' from your saved card did not go through'],
    [{ from: 'balance' } as const, ' from your balance did not go through'],
    [undefined, 'Juno Valastro did not go through'],
  ])('of %j says %j', (charged, says) => expect(failed(charged).text).toContain(says));

  it('speaks of no card to change where the balance was to pay', () => {
    const { text, actions } = failed({ from: 'balance' });
    expect(text).toMatch(/Choose a card for it before then, or pay it now\.$/);
    expect(actions[0]).toEqual({ label: 'Choose a card', href: '/subscriptions?change=sub_1' });
    expect(failed({ from: 'card' }).text).toMatch(/Change the card before then, or pay it now\.$/);
  });

  it('leads to the card of that subscription, and to paying it now', () =>
    expect(failed().actions).toEqual([
      { label: 'Change card', href: '/subscriptions?change=sub_1' },
      { label: 'Pay now', href: '/subscriptions#sub_1' },
    ]));
});
