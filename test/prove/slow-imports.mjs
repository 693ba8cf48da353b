// Compiles as the other suites are compiled, but what the app loads on demand goes through `comeLate` of
// web/testing/slow-machine.ts.
import swc from '@swc/jest';

const ON_DEMAND = /(?<!typeof )\bimport\(\s*('[^']+')\s*\)(?!\.)/g;

const slow = (source, path) =>
  path.includes('/web/src/') ? source.replace(ON_DEMAND, 'globalThis.comeLate(import($1))') : source;

export default {
  createTransformer(options) {
    const compiler = swc.createTransformer(options);
    return {
      ...compiler,
      process: (source, path, ...rest) => compiler.process(slow(source, path), path, ...rest),
      processAsync: (source, path, ...rest) => compiler.processAsync(slow(source, path), path, ...rest),
      getCacheKey: (source, path, ...rest) => compiler.getCacheKey(slow(source, path), path, ...rest),
    };
  },
};
