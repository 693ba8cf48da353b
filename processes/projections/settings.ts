/** The settings of a projections process. */
export const NAMES = [
  'EVENTSTORE_URL',
  'DATABASE_URL',
  'ENCORE_MASTER_KEY',
  'PROJECTIONS_PORT',
  'PROJECTIONS_HOST',
  'LOG_LEVEL',
] as const;
