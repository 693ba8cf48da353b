import { describe, expect, it } from '@jest/globals';
import { recipientFromCode, tipPageFromCode } from './scanned-recipient.js';

describe('a scanned code', () => {
  it.each([
    ['{"userId":"usr_a"}', { userId: 'usr_a' }],
    ['{"userId":"usr_a","name":"Odalys Ferrante"}', { userId: 'usr_a', name: 'Odalys Ferrante' }],
    ['{"userId":" usr_a ","username":"odalys","type":"encore_payment"}', { userId: 'usr_a' }],
    ['https://encore.example/tip/usr_a', { userId: 'usr_a' }],
    ['https://encore.example/tip/usr_a?amount=20.00&description=Gala', { userId: 'usr_a', amount: '20.00' }],
    ['https://encore.example/tip/usr_a?amount=12%2C5', { userId: 'usr_a', amount: '12.50' }],
    ['https://encore.example/tip/usr_a?amount=1e3', { userId: 'usr_a' }],
    ['https://encore.example/tip/usr_a?amount=1%2C250', { userId: 'usr_a' }],
    ['https://encore.example/tip/usr%5Fa/', { userId: 'usr_a' }],
    ['https://encore.example/pay?userId=usr_a', { userId: 'usr_a' }],
    ['https://encore.example/pay?from=qr&userId=usr_a&x=1', { userId: 'usr_a' }],
    ['https://encore.example/pay#userId=usr_a', { userId: 'usr_a' }],
    ['https://encore.example/#/pay?amount=5&userId=usr_a', { userId: 'usr_a', amount: '5.00' }],
    ['encore:pay;userId=usr_a', { userId: 'usr_a' }],
    ['userId=usr_a', { userId: 'usr_a' }],
    ['https://encore.example/pay?otherUserId=usr_b&userId=usr_a', { userId: 'usr_a' }],
    ['/tip/usr_a', { userId: 'usr_a' }],
    ['usr_a', { userId: 'usr_a' }],
    ['  usr_a\n', { userId: 'usr_a' }],
    ['12345', { userId: '12345' }],
  ])('%s names who is to be paid', (code, recipient) => expect(recipientFromCode(code)).toEqual(recipient));

  it.each([
    '',
    '   ',
    '{}',
    '{"userId":""}',
    '{"userId":7}',
    '{"name":"Nobody"}',
    '[]',
    'https://restaurant.example/menu',
    'https://encore.example/tip/',
    'https://encore.example/pay?userId=',
    'mailto:somebody@home.example',
    'WIFI:S:Backstage;T:WPA;P:secret;;',
    'some words that are no id',
    `usr_${'a'.repeat(100)}`,
  ])('%j names nobody', (code) => expect(recipientFromCode(code)).toBeUndefined());
});

describe('a code with the address of a tip page', () => {
  const ORIGIN = 'https://encore.example';

  it('leads to the page of this site, and of no other', () => {
    expect(tipPageFromCode(`${ORIGIN}/@junoplays`, ORIGIN)).toBe('/@junoplays');
    for (const code of [
      'https://evil.example/@junoplays',
      `${ORIGIN}/@juno/paid/AAAAAAAAAAAAAAAAAAAAAA`,
      `${ORIGIN}/tip/usr_juno`,
      '/@junoplays',
      '{"userId":"usr_juno"}',
      '',
    ])
      expect(tipPageFromCode(code, ORIGIN)).toBeUndefined();
  });
});
