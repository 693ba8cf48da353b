// The description and the routes are the same: a call that is not described would escape the suite that asks
// whose it is.
import { describe, expect, it } from '@jest/globals';
import { Controller, Post, type DynamicModule, type Type } from '@nestjs/common';
import 'reflect-metadata';
import { READ_CONTROLLERS } from '#projections/controllers';
import { PutSettings, SettingsAnswer } from '#contracts/api/settings';
import { TransactionsQuery } from '#contracts/api/payments';
import { PASSKEY_PROOF_HEADER } from '#contracts/plain/headers';
import { callsOf } from '#edge/api-call';
import { GUARDED } from '../passkeys/passkeys.guard.js';
import { ApiDescriptionController } from './about.controller.js';
import { apiPage, openApi } from './api-description.js';
import { LedgerModule } from './ledger.module.js';

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
    for (const { path } of calls) expect(apiPage(calls)).toContain(path);
  });

  it('is made from the schemas that validate', () => {
    const settings = calls.find(({ method, path }) => method === 'put' && path === '/api/settings');
    expect([settings?.body, settings?.answer]).toEqual([PutSettings, SettingsAnswer]);
    expect(calls.find(({ path }) => path === '/api/transactions')?.query).toBe(TransactionsQuery);
    expect(JSON.stringify(openApi(calls, HOME))).toContain('"transactionAlertsEnabled"');
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

  it('says which calls a passkey confirms: those that ask for one', () => {
    const confirmed = calls.filter(({ headers }) => PASSKEY_PROOF_HEADER in headers);
    for (const { otherwise } of confirmed) expect(otherwise[403]).toContain('passkey');
    const described = confirmed.map(
      ({ method, path }) => `${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`,
    );
    expect(described.sort()).toEqual(Object.keys(GUARDED).sort());
  });
});
