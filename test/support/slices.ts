/**
 * Slices of the ledger for a ledger that a test puts together: their handlers as their modules list them, so
 * that a new handler is there by itself. What a handler asks for and nobody gave is there too, and fails the
 * test where it is used.
 */
import type { DynamicModule, Provider, Type } from '@nestjs/common';
import {
  GUARDS_METADATA,
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

/** Stand-ins for what these classes ask for and nobody gives. */
function absentOf(asking: readonly Type[], known: ReadonlySet<Token>): Provider[] {
  const missing = asking.flatMap(askedBy).filter((token) => !known.has(token) && !OF_NEST.has(nameOf(token)));
  return [...new Set(missing)].map((token) => ({ provide: token, useValue: absent(token) }));
}

const listOf = <T>(kind: string, of: Type): readonly T[] =>
  (Reflect.getMetadata(kind, of) ?? []) as readonly T[];

/** The handlers of the slices, and what was given; `given` goes before what a slice has of the same name. */
export function slices(modules: readonly Type[], given: readonly Provider[]): Provider[] {
  const taken = new Set(given.map(tokenOf));
  const listed = modules.flatMap((module) => listOf<Provider>(MODULE_METADATA.PROVIDERS, module));
  const providers = [...given, ...listed.filter((provider) => !taken.has(tokenOf(provider)))];
  const asking = providers.flatMap((provider) => classOf(provider) ?? []);
  return [...providers, ...absentOf(asking, new Set(providers.map(tokenOf)))];
}

/** Parts for a whole ledger: what was given, and stand-ins for whatever else its slices and calls ask for. */
export function partsFor(ledger: DynamicModule, given: readonly Provider[]): Provider[] {
  const modules = withImports(ledger);
  const providers = modules.flatMap((one) => one.providers);
  const controllers = modules.flatMap((one) => one.controllers);
  const guards = controllers.flatMap((controller) => [
    ...listOf<Type>(GUARDS_METADATA, controller),
    ...Object.values(Object.getOwnPropertyDescriptors(controller.prototype)).flatMap(({ value }) =>
      isClass(value) ? listOf<Type>(GUARDS_METADATA, value) : [],
    ),
  ]);
  const asking = [...controllers, ...guards, ...providers.flatMap((provider) => classOf(provider) ?? [])];
  return [...given, ...absentOf(asking, new Set([...given, ...providers].map(tokenOf)))];
}

interface Listed {
  readonly providers: readonly Provider[];
  readonly controllers: readonly Type[];
}

/** What a module lists, and all that it imports. */
function withImports(module: DynamicModule | Type): Listed[] {
  if (isClass(module))
    return [
      {
        providers: listOf(MODULE_METADATA.PROVIDERS, module),
        controllers: listOf(MODULE_METADATA.CONTROLLERS, module),
      },
      ...listOf<DynamicModule | Type>(MODULE_METADATA.IMPORTS, module).flatMap(withImports),
    ];
  const { providers = [], controllers = [], imports = [] } = module;
  return [
    { providers, controllers },
    ...withImports(module.module),
    ...imports.flatMap((one) => withImports(one as DynamicModule | Type)),
  ];
}

/** Given by the CqrsModule that the test imports, and by Nest itself. */
const OF_NEST: ReadonlySet<string> = new Set([
  'CommandBus',
  'DiscoveryService',
  'EventBus',
  'HttpAdapterHost',
  'MetadataScanner',
  'ModuleRef',
  'ModulesContainer',
  'QueryBus',
  'Reflector',
]);
