/** Name of the file that holds a person's own data. */
export const OWN_DATA_FILE = 'encore-my-data.json';
