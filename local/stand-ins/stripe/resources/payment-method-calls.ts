/** The calls about payment methods: create, read, list, update, attach to a customer and detach. */
import { noSuch, wrongState } from '../errors.js';
import { page, type Page } from '../listing.js';
import { PAYMENT_METHOD_TYPES, type PaymentMethod } from '../objects.js';
import { pathValue, type Call, type Route } from '../routing.js';
import { testCardOf } from '../test-cards.js';
import { customerOf } from './customers.js';
import {
  attach,
  cannotReuse,
  declineError,
  detach,
  methodFrom,
  methodOf,
  readBillingDetails,
} from './payment-methods.js';

function attachCall(call: Call): PaymentMethod {
  const { transaction, parameters } = call;
  const customer = parameters.requiredText('customer');
  parameters.refuseUnknown();
  const record = methodOf(transaction, pathValue(call, 'id'), 'id');
  customerOf(transaction, customer, 'customer');
  const refusal = record.api.type === 'card' ? testCardOf(record.secret.card).attach : 'approved';
  if (refusal !== 'approved') throw declineError(refusal);
  if (record.secret.spent) throw cannotReuse();
  attach(transaction, record, customer);
  return record.api;
}

function detachCall(call: Call): PaymentMethod {
  const { transaction } = call;
  call.parameters.refuseUnknown();
  const record = methodOf(transaction, pathValue(call, 'id'), 'id');
  if (record.api.customer === null)
    throw wrongState(
      undefined,
      'The payment method you provided is not attached to a customer so detachment is impossible.',
    );
  detach(transaction, record);
  return record.api;
}

function listCall(call: Call, customer: string | undefined, url: string): Page<PaymentMethod> {
  const type = call.parameters.oneOf('type', PAYMENT_METHOD_TYPES);
  call.parameters.ignore('allow_redisplay');
  return page(call, 'payment_methods', url, { where: { customer, type } });
}

export const paymentMethodRoutes: readonly Route[] = [
  {
    method: 'POST',
    path: '/v1/payment_methods',
    access: 'publishable',
    run: ({ transaction, parameters }) => methodFrom(transaction, parameters).api,
  },
  {
    method: 'GET',
    path: '/v1/payment_methods',
    access: 'secret',
    run: (call) => {
      const customer = call.parameters.requiredText('customer');
      return listCall(call, customerOf(call.transaction, customer, 'customer').api.id, '/v1/payment_methods');
    },
  },
  {
    method: 'GET',
    path: '/v1/payment_methods/:id',
    access: 'secret',
    run: (call) => {
      call.parameters.refuseUnknown();
      const id = pathValue(call, 'id');
      const record = call.transaction.get('payment_methods', id);
      if (!record) throw noSuch('PaymentMethod', id);
      return record.api;
    },
  },
  {
    method: 'POST',
    path: '/v1/payment_methods/:id',
    access: 'secret',
    run: (call) => {
      const { transaction, parameters } = call;
      const id = pathValue(call, 'id');
      const record = transaction.get('payment_methods', id);
      if (!record) throw noSuch('PaymentMethod', id);
      const billing = parameters.hash('billing_details');
      record.api.metadata = parameters.metadata(record.api.metadata);
      if (billing) record.api.billing_details = readBillingDetails(billing);
      parameters.refuseUnknown();
      transaction.changed('payment_methods', record);
      transaction.emit('payment_method.updated', record.api);
      return record.api;
    },
  },
  { method: 'POST', path: '/v1/payment_methods/:id/attach', access: 'secret', run: attachCall },
  { method: 'POST', path: '/v1/payment_methods/:id/detach', access: 'secret', run: detachCall },
  {
    method: 'GET',
    path: '/v1/customers/:id/payment_methods',
    access: 'secret',
    run: (call) => {
      const { id } = customerOf(call.transaction, pathValue(call, 'id')).api;
      return listCall(call, id, `/v1/customers/${id}/payment_methods`);
    },
  },
  {
    method: 'GET',
    path: '/v1/customers/:id/payment_methods/:method',
    access: 'secret',
    run: (call) => {
      call.parameters.refuseUnknown();
      const id = pathValue(call, 'method');
      const record = call.transaction.get('payment_methods', id);
      if (record?.api.customer !== pathValue(call, 'id')) throw noSuch('PaymentMethod', id);
      return record.api;
    },
  },
];
