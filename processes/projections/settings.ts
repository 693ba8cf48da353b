/** The settings of a projections process. */
export const NAMES = [
  'EVENTSTORE_URL',
  'DATABASE_URL',
  'ENCORE_MASTER_KEY',
  'ENCORE_NEW_MASTER_KEY',
  'ENCORE_PREVIOUS_MASTER_KEY',
  'PROJECTIONS_PORT',
  'PROJECTIONS_HOST',
  'METRICS_TOKEN',
  'LOG_LEVEL',
] as const;
