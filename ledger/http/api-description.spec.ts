// The description and the routes are the same: a call that is not described would escape the suite that asks
// whose it is.
import { describe, expect, it } from '@jest/globals';
import { Controller, Post, type DynamicModule, type Type } from '@nestjs/common';
import 'reflect-metadata';
import { z } from 'zod';
import { READ_CONTROLLERS } from '#projections/controllers';
import { PutSettings, SettingsAnswer } from '#contracts/api/settings';
import { TransactionsQuery } from '#contracts/api/payments';
import { PASSKEY_PROOF_HEADER } from '#contracts/plain/headers';
import { callsOf } from '#edge/api-call';
import { isGuarded } from '#edge/proof';
import { ApiDescriptionController } from './about.controller.js';
import { apiPage, openApi } from './api-description.js';
import { LedgerModule } from '../ledger.module.js';

const NONCE = 'abc';
const isType = (value: unknown): value is Type => typeof value === 'function';

function controllersOf(module: DynamicModule | Type): Type[] {
  const { controllers = [], imports = [] } = isType(module)
    ? {
        controllers: (Reflect.getMetadata('controllers', module) ?? []) as Type[],
        imports: (Reflect.getMetadata('imports', module) ?? []) as (DynamicModule | Type)[],
      }
    : module;
  const own = isType(module) ? [] : controllersOf(module.module);
  return [
    ...controllers,
    ...own,
    ...imports.filter((one) => isType(one) || 'module' in one).flatMap((one) => controllersOf(one as Type)),
  ];
}

const HOME = 'https://encore.example';
const controllers = controllersOf(LedgerModule.of([], READ_CONTROLLERS)).filter(
  (controller) => controller !== ApiDescriptionController,
);
const calls = callsOf(controllers);

describe('the API’s description', () => {
  it('names each call once, in the document and on the page', () => {
    const { paths } = openApi(calls, HOME) as { paths: Record<string, Record<string, object>> };
    const named = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method} ${path}`),
    );
    expect(calls.length).toBeGreaterThan(40);
    expect(named.sort()).toEqual(calls.map(({ method, path }) => `${method} ${path}`).sort());
    for (const { path } of calls) expect(apiPage(calls, NONCE)).toContain(path);
  });

  it('is made from the schemas that validate', () => {
    const settings = calls.find(({ method, path }) => method === 'put' && path === '/api/settings');
    expect([settings?.body, settings?.answer]).toEqual([PutSettings, SettingsAnswer]);
    expect(calls.find(({ path }) => path === '/api/transactions')?.query).toBe(TransactionsQuery);
    expect(JSON.stringify(openApi(calls, HOME))).toContain('"transactionAlertsEnabled"');
  });

  it('has no body that a hostile value breaks: each is refused or read', () => {
    const hostile = [
      { toString: 1, valueOf: 1 },
      [{ toString: null }],
      JSON.parse('['.repeat(120_000) + ']'.repeat(120_000)) as unknown,
      { length: 5 },
      { constructor: 1 },
    ];
    const tried = calls.flatMap(({ body }) => {
      if (body === undefined) return [];
      const { properties = {} } = z.toJSONSchema(body, { io: 'input', unrepresentable: 'any' });
      const bodies = hostile.flatMap((value) => [
        value,
        ...Object.keys(properties).map((field) => ({ [field]: value })),
      ]);
      return bodies.map((value) => () => body.safeParse(value));
    });
    expect(tried.length).toBeGreaterThan(300);
    for (const read of tried) expect(read).not.toThrow();
  });

  it('refuses every wrong body and query in our own sentences, not the library’s', () => {
    const wrong = [null, true, 5, -1, 'x', '', 'x'.repeat(5_000), [], {}, ['x']];
    const sentences = new Set<string>();
    for (const { method, path, body, query } of calls)
      for (const schema of [body, query]) {
        // A link to sign in is followed whatever it says.
        if (schema === undefined || path === '/api/login') continue;
        const { properties = {} } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
        const fields = Object.keys(properties).flatMap((name) => wrong.map((value) => ({ [name]: value })));
        // Only a body may be no object at all.
        for (const value of schema === body ? [...wrong, ...fields] : fields)
          for (const { message } of schema.safeParse(value).error?.issues ?? [])
            sentences.add(`${method} ${path}: ${message}`);
      }
    expect(sentences.size).toBeGreaterThan(100);
    expect([...sentences].filter((each) => /: (Invalid|Too|Unrecognized|Expected) /.test(each))).toEqual([]);
  });

  it('refuses a call that nobody has described', () => {
    @Controller('api/things')
    class ThingsController {
      @Post(':id')
      make(): void {}
    }
    expect(() => callsOf([ThingsController])).toThrow(
      'POST /api/things/{id} is not described: put @ApiCall({ … }) on ThingsController.make.',
    );
  });

  it('says of each call that changes something which proof it needs, or why none', () => {
    const changing = calls.filter(({ method }) => method !== 'get');
    const silent = changing.filter(
      ({ proof }) => proof === undefined || ('none' in proof && proof.none === ''),
    );
    expect(silent.map(({ method, path }) => `${method} ${path}`)).toEqual([]);
    for (const { proof, headers, otherwise } of changing) {
      expect(PASSKEY_PROOF_HEADER in headers).toBe(isGuarded(proof));
      if (isGuarded(proof)) expect(otherwise[403]).toContain('passkey_required');
    }
    const { paths } = openApi(calls, HOME) as {
      paths: Record<string, Record<string, { 'x-encore-proof'?: string }>>;
    };
    expect(paths['/api/payouts']?.['post']?.['x-encore-proof']).toBe(
      'money: a passkey, or a sign-in of the last ten minutes',
    );
    expect(paths['/api/treasury/wallets']?.['post']?.['x-encore-proof']).toBe('none: A new wallet is empty.');
    expect(apiPage(calls, NONCE)).toContain('Needs a proof (destination)');
  });

  it('says which reads must not be old, and are none while the log is away', () => {
    const fromLog = calls.filter(({ readsLog }) => readsLog);
    expect(fromLog.map(({ method }) => method)).toEqual(fromLog.map(() => 'get'));
    // Rows that are behind must not hide that somebody takes an account over, nor how a payment is paid.
    expect(fromLog.map(({ path }) => path)).toEqual(
      expect.arrayContaining([
        '/api/account-recovery',
        '/api/forgetting',
        '/api/passkeys',
        '/api/payment-methods',
        '/api/payments/{id}/client-secret',
      ]),
    );
    const { paths } = openApi(calls, HOME) as {
      paths: Record<string, Record<string, { 'x-encore-reads-log'?: true }>>;
    };
    expect(paths['/api/passkeys']?.['get']?.['x-encore-reads-log']).toBe(true);
    expect(apiPage(calls, NONCE)).toContain('503 while the event store is away');
  });

  // What debits, redirects, lets in or unguards: a line that turns into `none` must be a decision.
  it('guards what a thief with the session would do', () => {
    const guardedCalls = calls
      .filter(({ proof }) => isGuarded(proof))
      .map(({ method, path, proof }) => `${isGuarded(proof) ? proof.effect : ''} ${method} ${path}`);
    expect(guardedCalls).toEqual(
      expect.arrayContaining([
        'money post /api/payouts',
        'money post /api/treasury/withdraw',
        'money delete /api/treasury/wallets/{id}',
        'money post /api/subscriptions',
        'money patch /api/subscriptions/{id}/status',
        'money post /api/scheduled-payments',
        'destination post /api/bank-accounts',
        'destination put /api/bank-accounts/{id}/primary',
        'destination delete /api/bank-accounts/{id}',
        'destination post /api/setup-intent',
        'destination put /api/payment-methods/{id}/default',
        'destination delete /api/payment-methods/{id}',
        'identity post /api/passkeys/enrolment/options',
        'identity post /api/passkeys/enrolment/verify',
        'identity delete /api/passkeys/{id}',
        'guard put /api/settings',
      ]),
    );
  });
});
