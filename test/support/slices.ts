/**
 * Slices of the ledger for a ledger that a test puts together: their handlers as their modules list them, so that a
 * new handler is there by itself. What a handler asks for and nobody gave is there too, and fails the test where it is
 * used.
 */
import type { Provider, Type } from '@nestjs/common';
import {
  MODULE_METADATA,
  PARAMTYPES_METADATA,
  SELF_DECLARED_DEPS_METADATA,
} from '@nestjs/common/constants.js';

type Token = string | symbol | Type;

const isClass = (value: unknown): value is Type => typeof value === 'function';
const tokenOf = (provider: Provider): Token => (isClass(provider) ? provider : (provider.provide as Token));
const classOf = (provider: Provider): Type | undefined =>
  isClass(provider) ? provider : 'useClass' in provider ? provider.useClass : undefined;

/** What a class' constructor asks for. */
function askedBy(asking: Type): readonly Token[] {
  const types = (Reflect.getMetadata(PARAMTYPES_METADATA, asking) ?? []) as readonly Type[];
  const named = (Reflect.getMetadata(SELF_DECLARED_DEPS_METADATA, asking) ?? []) as readonly {
    readonly index: number;
    readonly param: Token;
  }[];
  return types.map((type, at) => named.find(({ index }) => index === at)?.param ?? type);
}

const nameOf = (token: Token): string => (isClass(token) ? token.name : String(token));

/** Stands where nothing was given. Nest looks at what it holds, and may: only a call of it fails. */
function absent(token: Token): object {
  return new Proxy(
    {},
    {
      get: (_, key) =>
        // Neither a promise nor a hook of Nest's.
        typeof key === 'symbol' || /^(then|on[A-Z]|before[A-Z])/.test(key)
          ? undefined
          : () => {
              throw new Error(`The test gives no ${nameOf(token)}, and ${key} of it was asked for.`);
            },
    },
  );
}

/** The handlers of the slices, and what was given; `given` goes before what a slice has of the same name. */
export function slices(modules: readonly Type[], given: readonly Provider[]): Provider[] {
  const taken = new Set(given.map(tokenOf));
  const listed = modules.flatMap(
    (module) => (Reflect.getMetadata(MODULE_METADATA.PROVIDERS, module) ?? []) as Provider[],
  );
  const providers = [...given, ...listed.filter((provider) => !taken.has(tokenOf(provider)))];
  const known = new Set(providers.map(tokenOf));
  const missing = new Set(
    providers
      .flatMap((provider) => classOf(provider) ?? [])
      .flatMap(askedBy)
      .filter((token) => !known.has(token) && !OF_NEST.has(nameOf(token))),
  );
  return [...providers, ...[...missing].map((token) => ({ provide: token, useValue: absent(token) }))];
}

/** Given by the CqrsModule that the test imports, and by Nest itself. */
const OF_NEST: ReadonlySet<string> = new Set(['CommandBus', 'QueryBus', 'EventBus', 'ModuleRef']);
