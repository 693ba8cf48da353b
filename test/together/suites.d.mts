/** By the name of a suite of this folder, without `.spec.ts` or `.test.ts`: paths from the root of the repository. */
export const SUITES: Readonly<Record<string, readonly string[] | undefined>>;
