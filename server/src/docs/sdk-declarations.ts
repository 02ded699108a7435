import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import ts from "typescript";

/** An export of the SDK, a class that is reachable from one, or a member of these. */
export interface Declared {
  /** Its name, or the expression that reaches it from a client: `QueueApi`, `api.entries`. */
  readonly path: string;
  readonly name: string;
  readonly kind: "class" | "function" | "type" | "value" | "method" | "property";
  /** The declaration without comments; for a class its constructor only. Empty if there is none. */
  readonly signature: string;
  /** The doc comment as Markdown, with what it throws and its examples. */
  readonly comment: string;
  /** The public members of a class or an interface, in declaration order. */
  readonly members: readonly Declared[];
  /** The names of the classes that it extends, nearest first. */
  readonly ancestors: readonly string[];
}

/** The declarations of one module of the SDK, with its name: `@queue-api/sdk`, `@queue-api/sdk/opentelemetry`. */
export interface DeclaredModule {
  readonly name: string;
  readonly declared: readonly Declared[];
}

/** Reads the declarations from the build of the SDK: one module for each entry of its `exports`. */
export function sdkModules(folder: URL): DeclaredModule[] {
  const manifest = JSON.parse(readFileSync(new URL("package.json", folder), "utf8"));
  const entries = Object.keys(manifest.exports).flatMap((path) => {
    const types: string | undefined = manifest.exports[path].import?.types;
    if (types === undefined) return []; // not a module, such as package.json
    return [{ name: manifest.name + path.slice(1), file: fileURLToPath(new URL(types, folder)) }];
  });
  const program = ts.createProgram(
    entries.map(({ file }) => file),
    {
      module: ts.ModuleKind.NodeNext,
      moduleResolution: ts.ModuleResolutionKind.NodeNext,
      noLib: true, // built-in types are shown by name only
      types: [],
      skipLibCheck: true,
    },
  );
  const checker = program.getTypeChecker();
  return entries.map(({ name, file }) => ({
    name,
    declared: exportsOf(program.getSourceFile(file), checker),
  }));
}

/** The exports of a file, followed by the classes that are properties of its classes. */
function exportsOf(file: ts.SourceFile | undefined, checker: ts.TypeChecker): Declared[] {
  const module = file && checker.getSymbolAtLocation(file);
  if (!module) throw new Error("a module of the SDK has no declarations: build it first");
  const found = checker
    .getExportsOfModule(module)
    .map((one) => (one.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(one) : one));
  const propertyOf = new Map<ts.Symbol, string>();
  for (const member of found.flatMap((one) => publicMembers(one))) {
    const type = checker.getTypeOfSymbol(member).getSymbol();
    const isClass = type?.valueDeclaration && ts.isClassDeclaration(type.valueDeclaration);
    if (isClass && ts.isPropertyDeclaration(nodeOf(member)))
      propertyOf.set(type, `api.${member.name}`);
  }
  // A class that a client holds is shown once, as callers reach it.
  const others = found.filter((one) => !propertyOf.has(one));
  return [
    ...others.map((one) => declared(one, one.name)),
    ...[...propertyOf].map(([one, path]) => declared(one, path)),
  ];

  function declared(symbol: ts.Symbol, path: string): Declared {
    const node = nodeOf(symbol);
    return {
      path,
      name: symbol.name,
      kind: kindOf(node),
      signature: ts.isClassDeclaration(node) ? constructorOf(node) : textOf(node),
      comment: commentOf(symbol, checker),
      members: publicMembers(symbol).map((one) => declared(one, `${path}.${one.name}`)),
      ancestors: ts.isClassDeclaration(node) ? ancestorsOf(node, checker) : [],
    };
  }
}

/** The public members of a class or an interface, in declaration order. What is internal is not in the build. */
function publicMembers(symbol: ts.Symbol): ts.Symbol[] {
  const node = nodeOf(symbol);
  if (!ts.isClassDeclaration(node) && !ts.isInterfaceDeclaration(node)) return [];
  const hidden = ts.ModifierFlags.Private | ts.ModifierFlags.Protected;
  return [...(symbol.members?.values() ?? [])].filter(({ name, valueDeclaration: node }) => {
    if (!node || /^__|#/.test(name)) return false; // a constructor, or a name of the class alone
    return (ts.getCombinedModifierFlags(node) & hidden) === 0;
  });
}

function ancestorsOf(node: ts.ClassDeclaration, checker: ts.TypeChecker): string[] {
  const clause = node.heritageClauses?.find(({ token }) => token === ts.SyntaxKind.ExtendsKeyword);
  const parent = clause?.types[0]?.expression;
  if (!parent) return [];
  const above = checker.getTypeAtLocation(parent).getSymbol()?.valueDeclaration;
  const further = above && ts.isClassDeclaration(above) ? ancestorsOf(above, checker) : [];
  return [parent.getText(), ...further];
}

/** A doc comment as Markdown. Its links become code. */
function commentOf(symbol: ts.Symbol, checker: ts.TypeChecker): string {
  const textOf = (parts: ts.SymbolDisplayPart[] = []) =>
    ts
      .displayPartsToString(parts)
      .replaceAll(/\{@link\s+([^}|\s]+)[^}]*\}/g, "`$1`")
      .trim();
  const tags = symbol.getJsDocTags(checker).map(({ name, text }) => ({ name, text: textOf(text) }));
  const throws = tags.filter(({ name }) => name === "throws");
  const examples = tags.filter(({ name }) => name === "example");
  return [
    textOf(symbol.getDocumentationComment(checker)),
    ...(throws.length > 0 ? ["Throws:"] : []),
    throws
      .map(({ text }) => text.replace(/^\{?(\w+)\}?/, "- `$1`:").replaceAll("\n", " "))
      .join("\n"),
    ...examples.map(({ text }) => (text.startsWith("```") ? text : `\`\`\`ts\n${text}\n\`\`\``)),
  ].join("\n\n");
}

function nodeOf({ name, valueDeclaration, declarations }: ts.Symbol): ts.Declaration {
  const node = valueDeclaration ?? declarations?.[0];
  if (!node) throw new Error(`${name} is not declared`);
  return node;
}

function kindOf(node: ts.Declaration): Declared["kind"] {
  if (ts.isClassDeclaration(node)) return "class";
  if (ts.isFunctionDeclaration(node)) return "function";
  if (ts.isMethodDeclaration(node) || ts.isMethodSignature(node)) return "method";
  if (ts.isPropertyDeclaration(node) || ts.isPropertySignature(node)) return "property";
  return ts.isVariableDeclaration(node) ? "value" : "type";
}

/** `new Name(…)` for a class with a public constructor. */
function constructorOf(node: ts.ClassDeclaration): string {
  const made = node.members.find(ts.isConstructorDeclaration);
  if (!made) return "";
  const parameters = made.parameters.map((parameter) => parameter.getText()).join(", ");
  return `new ${node.name?.text}(${parameters})`;
}

/** The source of a declaration, without comments and compiler-only parts. */
function textOf(node: ts.Declaration): string {
  const whole = ts.isVariableDeclaration(node) ? node.parent.parent : node;
  return whole
    .getText()
    .replaceAll(/\/\*\*[\s\S]*?\*\/\s*/g, "")
    .replace(/^export (declare )?/, "")
    .replaceAll(/^ {4}/gm, "  ")
    .trim();
}
