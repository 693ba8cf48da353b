/**
 * React's strict mode renders each component twice and begins each effect twice, to show what does not bear
 * that. It is a fifth of what a component suite computes. In `make test` only the suite that opens every
 * route has it; `make prove` has all suites in it (WHOLE=yes).
 *
 *     /** @jest-environment-options {"isStrict": true} *\/     a suite that keeps it
 */
import { createRequire } from 'node:module';

// Before anybody imports it: what a module imports by name stays as it was then.
const react = createRequire(import.meta.url)('react') as { StrictMode: unknown; readonly Fragment: unknown };

if (process.env.WHOLE !== 'yes' && Reflect.get(globalThis, 'isStrict') !== true)
  react.StrictMode = react.Fragment;
