/** Customers: what saved cards are attached to. */
import type { StoredObject } from '../collections.js';
import { noSuch } from '../errors.js';
import { newId, randomText } from '../identifiers.js';
import { page } from '../listing.js';
import type { Customer } from '../objects.js';
import type { Parameters } from '../parameters.js';
import { pathValue, type Route } from '../routing.js';
import type { Transaction } from '../store.js';
import { attach, detach, methodOf } from './payment-methods.js';

/** The customer of an id. Throws a 404 when it is the path's own, a 400 when a parameter names it. */
export function customerOf(transaction: Transaction, id: string, param = 'id'): StoredObject<'customers'> {
  const record = transaction.get('customers', id);
  if (!record || record.secret.deleted) throw noSuch('customer', id, param, param === 'id' ? 404 : 400);
  return record;
}

/** Lays what was sent over a customer; what was not sent stays. */
function apply(transaction: Transaction, customer: Customer, parameters: Parameters): void {
  const read = (name: 'name' | 'phone' | 'description', most?: number): void => {
    if (parameters.has(name)) customer[name] = parameters.text(name, most) ?? null;
  };
  if (parameters.has('email')) customer.email = parameters.email('email') ?? null;
  read('name', 256);
  read('phone', 20);
  read('description');
  customer.metadata = parameters.metadata(customer.metadata);
  const invoice = parameters.hash('invoice_settings');
  if (invoice) {
    const method = invoice.text('default_payment_method');
    invoice.refuseUnknown();
    if (method !== undefined && transaction.get('payment_methods', method)?.api.customer !== customer.id)
      throw noSuch('PaymentMethod', method, 'invoice_settings[default_payment_method]', 400);
    customer.invoice_settings.default_payment_method = method ?? null;
  }
  parameters.refuseUnknown();
}

export const customerRoutes: readonly Route[] = [
  {
    method: 'POST',
    path: '/v1/customers',
    access: 'secret',
    run: ({ transaction, parameters }) => {
      const method = parameters.text('payment_method');
      const customer: Customer = {
        id: newId('cus'),
        object: 'customer',
        address: null,
        balance: 0,
        created: transaction.now,
        currency: null,
        customer_account: null,
        default_source: null,
        delinquent: false,
        description: null,
        discount: null,
        email: null,
        invoice_prefix: randomText(8).toUpperCase(),
        invoice_settings: {
          custom_fields: null,
          default_payment_method: null,
          footer: null,
          rendering_options: null,
        },
        livemode: false,
        metadata: {},
        name: null,
        next_invoice_sequence: 1,
        phone: null,
        preferred_locales: [],
        shipping: null,
        tax_exempt: 'none',
        test_clock: null,
      };
      apply(transaction, customer, parameters);
      transaction.insert('customers', customer, { deleted: false });
      transaction.emit('customer.created', customer);
      if (method !== undefined) attach(transaction, methodOf(transaction, method), customer.id);
      return customer;
    },
  },
  {
    method: 'GET',
    path: '/v1/customers',
    access: 'secret',
    run: (call) =>
      page(call, 'customers', '/v1/customers', { where: { email: call.parameters.text('email') } }),
  },
  {
    method: 'GET',
    path: '/v1/customers/:id',
    access: 'secret',
    run: (call) => {
      call.parameters.refuseUnknown();
      const id = pathValue(call, 'id');
      if (call.transaction.get('customers', id)?.secret.deleted)
        return { id, object: 'customer', deleted: true };
      return customerOf(call.transaction, id).api;
    },
  },
  {
    method: 'POST',
    path: '/v1/customers/:id',
    access: 'secret',
    run: (call) => {
      const record = customerOf(call.transaction, pathValue(call, 'id'));
      apply(call.transaction, record.api, call.parameters);
      call.transaction.changed('customers', record);
      call.transaction.emit('customer.updated', record.api);
      return record.api;
    },
  },
  {
    method: 'DELETE',
    path: '/v1/customers/:id',
    access: 'secret',
    run: (call) => {
      const { transaction } = call;
      call.parameters.refuseUnknown();
      const record = customerOf(transaction, pathValue(call, 'id'));
      const { id } = record.api;
      const { data } = transaction.list('payment_methods', {
        where: { customer: id },
        limit: Number.MAX_SAFE_INTEGER,
      });
      for (const { id: method } of data) detach(transaction, methodOf(transaction, method));
      record.secret.deleted = true;
      transaction.unlist('customers', record);
      transaction.emit('customer.deleted', record.api);
      return { id, object: 'customer', deleted: true };
    },
  },
];
