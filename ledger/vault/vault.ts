/** written next */
export {};
