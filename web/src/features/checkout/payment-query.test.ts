/** What a link says of a payment, as the pages that it opens show it. */
import { expect, it } from '@jest/globals';
import { requestedPayment } from './payment-query.js';

it('takes nothing from a link that would turn the text around it', () => {
  const query = new URLSearchParams({ amount: '5', description: '\u202eBravo' });
  expect(requestedPayment('odalys-1', query)?.description).toBe('Bravo');
});
