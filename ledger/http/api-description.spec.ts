// The description and the routes are the same: a call that is not described would escape the suite that asks
// whose it is.
import { describe, expect, it } from '@jest/globals';
import { RequestMethod, type DynamicModule, type Type } from '@nestjs/common';
import 'reflect-metadata';
import { READ_CONTROLLERS } from '#projections/controllers';
import { CALLS } from './api-description.js';
import { LedgerModule } from './ledger.module.js';

/** What describes the API is not part of what it describes. */
const ABOUT = ['GET /api/docs', 'GET /api/openapi.json'];

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

function routesOf(controller: Type): string[] {
  const base = Reflect.getMetadata('path', controller) as string;
  const prototype = controller.prototype as Record<string, unknown>;
  return Object.getOwnPropertyNames(prototype)
    .filter((name) => name !== 'constructor' && typeof prototype[name] === 'function')
    .flatMap((name) => {
      const handler = prototype[name] as object;
      const path = Reflect.getMetadata('path', handler) as string | undefined;
      const method = Reflect.getMetadata('method', handler) as RequestMethod | undefined;
      if (path === undefined || method === undefined) return [];
      const whole = `/${base}/${path}`.replaceAll(/\/+/g, '/').replace(/(.)\/$/, '$1');
      return [`${RequestMethod[method]} ${whole.replaceAll(/:(\w+)/g, '{$1}')}`];
    });
}

describe('the API description', () => {
  it('describes every call that the ledger has, and no other', () => {
    const routes = [...new Set(controllersOf(LedgerModule.of([], READ_CONTROLLERS)))]
      .flatMap(routesOf)
      .filter((route) => route.includes(' /api'));
    const described = CALLS.map(({ method, path }) => `${method.toUpperCase()} ${path}`);
    expect(routes.length).toBeGreaterThan(8);
    expect(routes.sort()).toEqual([...described, ...ABOUT].sort());
  });
});
