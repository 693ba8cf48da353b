/** Which methods an address has, for the answer to any other one (RFC 9110, 15.5.6). */
import type { FastifyInstance } from 'fastify';

const PARAMETER = /:[A-Za-z]+/;
const SYNTAX = /[$()*+.?[\\\]^{|}]/g;

/** Of a route as Fastify knows it: `/api/users/:id`. */
const patternOf = (route: string): RegExp =>
  new RegExp(
    `^${route
      .split(PARAMETER)
      .map((fixed) => fixed.replace(SYNTAX, String.raw`\$&`))
      .join('[^/]+')}$`,
  );

export class KnownRoutes {
  readonly #methods = new Map<string, Set<string>>();
  #patterns: readonly (readonly [RegExp, ReadonlySet<string>])[] | undefined;

  /**
   * Notes each route that is added from here on. Those that take whatever is not there (`*`) say nothing of
   * an address.
   */
  watch(server: FastifyInstance): void {
    server.addHook('onRoute', ({ url, method }) => {
      if (url.includes('*')) return;
      const methods = this.#methods.get(url) ?? new Set();
      for (const each of [method].flat()) methods.add(each);
      this.#methods.set(url, methods);
      this.#patterns = undefined;
    });
  }

  /** The methods of a path, in alphabetical order; none where nothing is there. */
  methodsAt(path: string): readonly string[] {
    this.#patterns ??= [...this.#methods].map(([route, methods]) => [patternOf(route), methods] as const);
    const found = this.#patterns.flatMap(([pattern, methods]) => (pattern.test(path) ? [...methods] : []));
    return [...new Set(found)].toSorted();
  }
}
