/** What is learnt of our account at the card provider. */
import { describe, expect, it } from '@jest/globals';
import { readAccountFacts } from './account-facts.js';

describe('the facts of an account', () => {
  it('are not read while the provider is away, and no key is called wrong', async () => {
    const access = { secretKey: 'sk_test_of_a_spec', apiUrl: 'http://127.0.0.1:1' };
    await expect(readAccountFacts(access)).rejects.toThrow(
      'The card provider does not answer, so nothing of the account was checked',
    );
  });
});
