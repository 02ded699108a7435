/** The URL of a package's main file; the packages that the bench compares with can be resolved only from here. */
export const resolved = (name) => import.meta.resolve(name);
