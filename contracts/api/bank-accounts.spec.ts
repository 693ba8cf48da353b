import { describe, expect, it } from '@jest/globals';
import { AddBankAccount, isRoutingNumber, masked } from './bank-accounts.js';

const whole = {
  accountHolderName: 'Juno Valastro',
  accountNumber: '000123456789',
  routingNumber: '110000000',
  accountType: 'savings',
  bankName: 'Harbor Bank',
};
const sentence = (body: unknown) => AddBankAccount.safeParse(body).error?.issues[0]?.message;

describe('a routing number', () => {
  it.each(['110000000', '021000021', '011401533', '091000019', '122105155'])(
    '%s passes the checksum',
    (digits) => expect(isRoutingNumber(digits)).toBe(true),
  );
  it.each(['110000001', '021000012', '123456789', '000000000', '11000000', '1100000000', '11000000a', ''])(
    '%s does not',
    (digits) => expect(isRoutingNumber(digits)).toBe(false),
  );
  it('with one digit wrong never passes', () => {
    for (let place = 0; place < 9; place++)
      for (let digit = 0; digit < 10; digit++) {
        const other = `${'021000021'.slice(0, place)}${digit}${'021000021'.slice(place + 1)}`;
        expect([other, isRoutingNumber(other)]).toEqual([other, other === '021000021']);
      }
  });
});

describe('a bank account as the browser sends it', () => {
  it('is taken, with gaps and dashes left out of its numbers', () =>
    expect(
      AddBankAccount.parse({ ...whole, accountNumber: ' 0001-2345 6789', routingNumber: '1100 00000' }),
    ).toEqual(whole));
  it('is a checking account unless it says otherwise', () =>
    expect(AddBankAccount.parse({ ...whole, accountType: undefined }).accountType).toBe('checking'));

  it.each(['accountHolderName', 'accountNumber', 'routingNumber', 'bankName'])(
    'is refused without its %s',
    (field) => {
      for (const empty of [undefined, null, '', '   ', 7])
        expect([empty, sentence({ ...whole, [field]: empty })]).toEqual([
          empty,
          'Please fill in all required fields',
        ]);
    },
  );
  it.each([
    [{ routingNumber: '12345678' }, 'The routing number must have 9 digits.'],
    [{ routingNumber: '12345678x' }, 'The routing number must have 9 digits.'],
    [{ routingNumber: '110000001' }, 'The routing number is not a valid one. Please check its digits.'],
    [{ accountNumber: '123' }, 'The account number must have 4 to 17 digits.'],
    [{ accountNumber: '123456789012345678' }, 'The account number must have 4 to 17 digits.'],
    [{ accountNumber: '12e4' }, 'The account number must have 4 to 17 digits.'],
    [{ accountType: 'gold' }, 'The account type is checking or savings.'],
    [{ bankName: 'x'.repeat(101) }, 'The bank name has at most 100 characters.'],
    [{ accountHolderName: 'Ju\u0000no' }, 'The account holder name holds a character that cannot be shown.'],
  ])('is refused with %j, and the sentence names the field', (over, words) => {
    expect(sentence({ ...whole, ...over })).toBe(words);
  });
  it.each([[[]], [null], ['x']])('is refused as %j', (body) =>
    expect(sentence(body)).toBe('Send the bank account as a JSON object.'),
  );

  it('is never repeated in a sentence', () => {
    for (const routingNumber of ['987654321', '98765', 'abcdefghi'])
      expect(
        JSON.stringify(AddBankAccount.safeParse({ ...whole, routingNumber }).error?.issues),
      ).not.toContain(routingNumber);
  });
  it('shows its last four digits', () => expect(masked('6789')).toBe('••••6789'));
});
