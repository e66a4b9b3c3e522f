/**
 * Classes of Effect as those who use them see them: a service has the methods of its shape, and nobody calls constructors of services and
 * errors by hand, so neither those nor what they inherit from is shown.
 */
import { Converter, ReflectionKind } from "typedoc"

/** @param {import("typedoc").DeclarationReflection} service */
const takeShape = (service) => {
  const shape = service.extendedTypes?.find((type) => type.type === "reference" && type.name === "Shape")
  const methods = shape?.typeArguments?.[1]
  if (methods?.type !== "reflection") return
  for (const child of [...(methods.declaration.children ?? [])]) {
    methods.declaration.removeChild(child)
    child.parent = service
    service.addChild(child)
  }
}

/** @param {import("typedoc").Application} app */
export const load = (app) => {
  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => {
    for (const each of project.getReflectionsByKind(ReflectionKind.Class)) {
      takeShape(each)
      for (const child of [...(each.children ?? [])])
        if (child.kindOf(ReflectionKind.Constructor | ReflectionKind.Accessor)) project.removeReflection(child)
    }
  })
  const simplify = ({ project }) => {
    for (const each of project.getReflectionsByKind(ReflectionKind.Class)) {
      delete each.extendedTypes
      delete each.typeHierarchy
      for (const child of each.children ?? []) {
        delete child.inheritedFrom
        delete child.overwrites
        delete child.defaultValue
      }
    }
    // Thousands of lines that nobody reads: what is in a contract is in its OpenAPI document.
    for (const each of project.getReflectionsByKind(ReflectionKind.Variable))
      if (each.type?.type === "reference" && each.type.name === "HttpApi") delete each.type.typeArguments
  }
  app.converter.on(Converter.EVENT_RESOLVE_END, simplify, -1_000_000)
}
