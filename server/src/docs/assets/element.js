/** Makes an element with these properties. */
export function element(name, properties = {}) {
  return Object.assign(document.createElement(name), properties);
}
