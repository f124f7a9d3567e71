# Writes OUT, the bill of materials of a build as SPDX 2.3 JSON: the program, each source file that went into it with its
# sum, and each library it links, at the version that pkg-config gave. The date is the release's own (DATE), so that
# the same tree gives the same bytes.
#   cmake -DOUT=... -DROOT=... -DVERSION=... -DDATE=... -DLIBRARIES=name|version|licence|home;... -P sbom.cmake
file(GLOB_RECURSE sources RELATIVE ${ROOT} ${ROOT}/analyzer/* ${ROOT}/parsers/* ${ROOT}/rules/*)
list(APPEND sources CMakeLists.txt)
list(SORT sources)
list(SORT LIBRARIES)

set(files "")
set(sums "")
set(i 0)
foreach(source IN LISTS sources)
    file(SHA1 ${ROOT}/${source} sha1)
    file(SHA256 ${ROOT}/${source} sha256)
    math(EXPR i "${i} + 1")
    list(APPEND sums ${sha1})
    list(APPEND files "  {\"SPDXID\": \"SPDXRef-File-${i}\", \"fileName\": \"./${source}\",
   \"checksums\": [{\"algorithm\": \"SHA1\", \"checksumValue\": \"${sha1}\"}, {\"algorithm\": \"SHA256\", \"checksumValue\": \"${sha256}\"}],
   \"licenseConcluded\": \"NOASSERTION\", \"copyrightText\": \"NOASSERTION\"}")
endforeach()
list(SORT sums) # SPDX: the verification code is the SHA1 of all sums in order
string(REPLACE ";" "" joined "${sums}")
string(SHA1 verification "${joined}")
string(SHA256 namespace "${VERSION}${joined}${LIBRARIES}")

set(packages "  {\"SPDXID\": \"SPDXRef-firstfault\", \"name\": \"firstfault\", \"versionInfo\": \"${VERSION}\",
   \"downloadLocation\": \"NOASSERTION\", \"filesAnalyzed\": true,
   \"packageVerificationCode\": {\"packageVerificationCodeValue\": \"${verification}\"},
   \"licenseConcluded\": \"${LICENCE}\", \"licenseDeclared\": \"${LICENCE}\", \"copyrightText\": \"NOASSERTION\"}")
set(relations "  {\"spdxElementId\": \"SPDXRef-DOCUMENT\", \"relationshipType\": \"DESCRIBES\", \"relatedSpdxElement\": \"SPDXRef-firstfault\"}")
foreach(i RANGE 1 ${i})
    list(APPEND relations "  {\"spdxElementId\": \"SPDXRef-firstfault\", \"relationshipType\": \"CONTAINS\", \"relatedSpdxElement\": \"SPDXRef-File-${i}\"}")
endforeach()
foreach(library IN LISTS LIBRARIES)
    string(REPLACE "|" ";" library "${library}")
    list(GET library 0 name)
    list(GET library 1 version)
    list(GET library 2 licence)
    list(GET library 3 home)
    list(APPEND packages "  {\"SPDXID\": \"SPDXRef-${name}\", \"name\": \"${name}\", \"versionInfo\": \"${version}\",
   \"downloadLocation\": \"${home}\", \"filesAnalyzed\": false,
   \"licenseConcluded\": \"${licence}\", \"licenseDeclared\": \"${licence}\", \"copyrightText\": \"NOASSERTION\"}")
    list(APPEND relations "  {\"spdxElementId\": \"SPDXRef-firstfault\", \"relationshipType\": \"DYNAMIC_LINK\", \"relatedSpdxElement\": \"SPDXRef-${name}\"}")
endforeach()
list(JOIN files ",\n" files)
list(JOIN packages ",\n" packages)
list(JOIN relations ",\n" relations)
file(WRITE ${OUT} "{
 \"spdxVersion\": \"SPDX-2.3\", \"dataLicense\": \"CC0-1.0\", \"SPDXID\": \"SPDXRef-DOCUMENT\", \"name\": \"firstfault-${VERSION}\",
 \"documentNamespace\": \"https://firstfault.invalid/spdx/${namespace}\",
 \"creationInfo\": {\"created\": \"${DATE}T00:00:00Z\", \"creators\": [\"Tool: firstfault-build-${VERSION}\"]},
 \"packages\": [
${packages}
 ],
 \"files\": [
${files}
 ],
 \"relationships\": [
${relations}
 ]
}
")
